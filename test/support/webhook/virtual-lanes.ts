/**
 * What wakes a delivery: the queues of the two lanes, which show a message again until a worker is done with it, and
 * the scheduler. What they are given may be lost, come twice, or come late.
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

export interface WakeSeen {
  readonly road: 'queue' | 'schedule';
  readonly delaySeconds: number;
  readonly at: Date;
}

interface VirtualLanes {
  readonly wakes: readonly WakeSeen[];
  put(lane: Lane, message: DeliveryMessage, delaySeconds?: number): void;
  queueOf(worker: Worker): DeliveryQueue;
  schedulerOf(worker: Worker): DeliveryScheduler;
}

/** What may go wrong with a wake. */
export interface WakeFaults {
  readonly schedulerLatenessMs?: () => number;
  /** For how long a message of the slow lane waits for others to fill its batch. */
  readonly slowLaneGathersMs?: number;
  /** How often a sent message arrives: 1, or 0 for lost, or 2 for doubled. */
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
  faults: WakeFaults,
  consume: (lane: Lane, message: DeliveryMessage) => Promise<void>,
): VirtualLanes {
  const wakes: WakeSeen[] = [];
  const schedules = new Set<string>();

  function note(road: WakeSeen['road'], delaySeconds: number): void {
    wakes.push({ road, delaySeconds, at: new Date(time.now()) });
  }

  function put(lane: Lane, message: DeliveryMessage, delaySeconds = 0): void {
    const copies = faults.copies?.() ?? 1;
    const gathersMs = lane === 'slow' ? (faults.slowLaneGathersMs ?? 0) : 0;
    for (let i = 0; i < copies; i += 1) {
      showAt({ lane, message, receives: 0, gone: false }, time.now() + delaySeconds * 1000 + gathersMs);
    }
  }

  function showAt(queued: Queued, timeMs: number): void {
    time.at(timeMs, () => {
      if (queued.gone) return;
      queued.receives += 1;
      if (queued.receives > receivesMax) return;
      // Comes again unless it is deleted, however the worker ends.
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
    wakes,
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
