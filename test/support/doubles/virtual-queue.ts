/**
 * What connects functions: queues that show a message at least once until it is acknowledged, and a stream that repeats
 * a batch until it succeeds.
 */
import type { HandlerResult } from '../../../shared/platform/process-queue-batch.ts';
import type { FaultyProcesses, Process } from '../faults/faulty-process.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface Simulation {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly processes: FaultyProcesses;
}

interface QueueSettings<Body> {
  readonly consumerTimeoutSeconds: number;
  readonly maxReceives: number;
  readonly consume: (process: Process, body: Body, receives: number) => Promise<HandlerResult>;
}

export interface VirtualQueue<Body> {
  put(body: Body, delaySeconds?: number): void;
  /** Messages that were received too often. */
  readonly deadLetters: readonly Body[];
}

const doubledShare = 0.03;
const lateShare = 0.02;
const lateMaxMs = 20_000;
/** The visibility timeout, as a multiple of the consumer's timeout, as in the stack. */
const visibilityRuns = 3;

interface Queued<Body> {
  readonly body: Body;
  receives: number;
  /** Counts up with each change of when it is shown, so that earlier plans are void. */
  version: number;
}

export function virtualQueue<Body>(
  simulation: Simulation,
  settings: QueueSettings<Body>,
): VirtualQueue<Body> {
  const { time, random, processes } = simulation;
  const deadLetters: Body[] = [];

  function showAt(queued: Queued<Body>, timeMs: number): void {
    queued.version += 1;
    const { version } = queued;
    time.at(timeMs, () => {
      if (queued.version === version) show(queued);
    });
  }

  function show(queued: Queued<Body>): void {
    queued.receives += 1;
    if (queued.receives > settings.maxReceives) {
      deadLetters.push(queued.body);
      return;
    }
    showAt(queued, time.now() + settings.consumerTimeoutSeconds * visibilityRuns * 1000);
    const process = processes.start(settings.consumerTimeoutSeconds);
    settings
      .consume(process, queued.body, queued.receives)
      .then(async ({ retryAfterSeconds }) => {
        if (retryAfterSeconds === undefined) queued.version += 1;
        else
          await processes.call(process, async () => showAt(queued, time.now() + retryAfterSeconds * 1000), [
            'double',
          ]);
        process.ended = 'well';
      })
      .catch(() => {
        process.ended = 'failed';
      });
  }

  return {
    deadLetters,
    put(body, delaySeconds = 0) {
      const copies = random() < doubledShare ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        const lateMs = random() < lateShare ? random() * lateMaxMs : random() * 20;
        showAt({ body, receives: 0, version: 0 }, time.now() + delaySeconds * 1000 + lateMs);
      }
    },
  };
}

const batchMax = 10;
const replayedShare = 0.02;
const delayMs = 1000;

/** One shard: in order, a batch at a time, repeated (and halved) until `consume` succeeds. */
export function virtualStream<Item>(
  { time, random, processes }: Simulation,
  limitSeconds: number,
  consume: (process: Process, items: readonly Item[]) => Promise<unknown>,
): { put(item: Item): void } {
  const items: Item[] = [];
  let size = batchMax;
  let reading = false;

  function read(): void {
    if (reading || items.length === 0) return;
    reading = true;
    const batch = items.slice(0, size);
    const process = processes.start(limitSeconds);
    let over = false;
    const end = (through: boolean): void => {
      if (over) return;
      over = true;
      // The reader can die before it stores its position: the last batch comes again.
      if (through && random() >= replayedShare) items.splice(0, batch.length);
      size = through ? batchMax : Math.max(1, size >> 1);
      time.at(time.now() + (through ? 50 : delayMs), () => {
        reading = false;
        read();
      });
    };
    consume(process, batch).then(
      () => end(true),
      () => end(false),
    );
    time.at(time.now() + limitSeconds * 1000, () => end(false));
  }

  return {
    put(item) {
      items.push(item);
      time.at(time.now() + 50, read);
    },
  };
}
