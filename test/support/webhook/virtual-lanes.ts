/**
 * The queues of the two lanes, which show a message again until a worker deletes it, and the scheduler. Messages may be
 * lost, arrive twice, or arrive late.
 */
import type { Lane } from '../../../shared/webhook/delivery.ts';
import type {
  DeliveryMessage,
  DeliveryQueue,
  DeliveryScheduler,
} from '../../../shared/webhook/schedule/retry-scheduler.ts';
import type { VirtualTime } from '../doubles/virtual-time.ts';
import type { FaultyCalls, Worker } from '../faults/faulty-calls.ts';

const visibilitySeconds = 60;
const receivesMax = 5;

export interface ScheduledMessage {
  readonly path: 'queue' | 'schedule';
  readonly delaySeconds: number;
  readonly at: Date;
}

interface VirtualLanes {
  readonly scheduled: readonly ScheduledMessage[];
  put(lane: Lane, message: DeliveryMessage, delaySeconds?: number): void;
  queueOf(worker: Worker): DeliveryQueue;
  schedulerOf(worker: Worker): DeliveryScheduler;
}

/** The faults of queues and scheduler. */
export interface QueueFaults {
  readonly schedulerLatenessMs?: () => number;
  /** The batch window of the slow lane. */
  readonly slowLaneBatchWindowMs?: number;
  /** How often a sent message arrives: 1; 0 if lost; 2 if doubled. */
  readonly copies?: () => number;
}

interface Queued {
  readonly lane: Lane;
  readonly message: DeliveryMessage;
  receives: number;
  gone: boolean;
}

export function virtualLanes(
  time: VirtualTime,
  calls: FaultyCalls,
  faults: QueueFaults,
  consume: (lane: Lane, message: DeliveryMessage) => Promise<void>,
): VirtualLanes {
  const scheduled: ScheduledMessage[] = [];
  const schedules = new Set<string>();

  function note(path: ScheduledMessage['path'], delaySeconds: number): void {
    scheduled.push({ path, delaySeconds, at: new Date(time.now()) });
  }

  function put(lane: Lane, message: DeliveryMessage, delaySeconds = 0): void {
    const copies = faults.copies?.() ?? 1;
    const batchWindowMs = lane === 'slow' ? (faults.slowLaneBatchWindowMs ?? 0) : 0;
    for (let i = 0; i < copies; i += 1) {
      showAt({ lane, message, receives: 0, gone: false }, time.now() + delaySeconds * 1000 + batchWindowMs);
    }
  }

  function showAt(queued: Queued, timeMs: number): void {
    time.at(timeMs, () => {
      if (queued.gone) return;
      queued.receives += 1;
      if (queued.receives > receivesMax) return;
      // Shown again unless it is deleted.
      showAt(queued, time.now() + visibilitySeconds * 1000);
      consume(queued.lane, queued.message).then(
        () => {
          queued.gone = true;
        },
        () => {},
      );
    });
  }

  return {
    scheduled,
    put,

    queueOf: (worker) => ({
      send: (lane, entries) =>
        calls.call(worker, 'send', async () => {
          for (const { message, delaySeconds } of entries) {
            note('queue', delaySeconds);
            put(lane, message, delaySeconds);
          }
        }),
    }),

    schedulerOf: (worker) => ({
      schedule: (name, at, lane, message) =>
        calls.call(worker, 'schedule', async () => {
          if (schedules.has(name)) return;
          schedules.add(name);
          note('schedule', (at.getTime() - time.now()) / 1000);
          time.at(at.getTime() + (faults.schedulerLatenessMs?.() ?? 0), () => {
            schedules.delete(name);
            put(lane, message);
          });
        }),
    }),
  };
}
