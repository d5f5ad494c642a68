/**
 * One world for all crash and fault tests: a virtual clock, queues that show a message again until it is acknowledged,
 * streams that repeat a batch until it succeeds, functions that run at intervals, one-shot schedules, and processes that
 * die or lose answers. It has no fault by default; the options add them. The same options give the same run.
 *
 * A new worker is one call, with `process` as what its calls go through, so that each of them can fail:
 *
 *     world.consume('inbound', { timeoutSeconds: 10, maxReceives: 5 }, (process, body) =>
 *       recordInbound({ store: world.processes.port(process, 'inbound', store), sqs: world.sqs(process) }, body));
 *
 * So is a consumer of a stream, which has its own place in it (`changes.consume(30, (process, records) => …)`), and a
 * function on a timer (`world.every(60, 50, (process) => …)`). `gateway.ts` starts the gateway's functions this way.
 */
import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { shardOf } from '../../../shared/platform/ids.ts';
import {
  type HandlerResult,
  processAndReceiveFurther,
  type QueueRecord,
} from '../../../shared/platform/process-queue-batch.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { strictSqs } from '../engine/strict-sqs.ts';
import { type FaultOptions, faultyProcesses, never, type Process } from './processes.ts';
import { virtualTime } from './virtual-time.ts';

export interface WorldOptions extends FaultOptions {
  readonly startAt: Date;
  readonly random?: () => number;
  /** How late a message of this queue, a record of a stream (`stream`) or a schedule (`scheduler`) comes. */
  readonly lateMs?: (what: string) => number;
  /** How often a sent message arrives: 1; 0 if lost; 2 if doubled. */
  readonly copies?: (queue: string) => number;
  /** Whether a stream repeats a batch that succeeded, because its reader died before it stored its position. */
  readonly replays?: () => boolean;
  /** Whether queues refuse a message with this body for good. */
  readonly refuses?: (body: string) => boolean;
}

/** A message or schedule that was accepted. */
export interface Sent {
  readonly path: 'queue' | 'schedule';
  readonly queue: string;
  readonly delaySeconds: number;
  readonly at: Date;
}

/** The usual visibility timeout, as a multiple of the consumer's timeout, as in the stack. */
const visibilityRuns = 3;
const streamShards = 8;
const streamRetryMs = 1000;

/** How a reader of a stream collects its batches. */
interface Batches {
  readonly max: number;
  /** How long a batch waits until it is full. */
  readonly windowSeconds: number;
}

interface Queued {
  readonly body: string;
  receives: number;
  /** Counts each change of the time when it is shown: an earlier time no longer counts. */
  version: number;
}

/** How a queue feeds a function; without it, each message has a worker of its own at once. */
export interface Workers {
  readonly count: number;
  readonly batchSize: number;
  /** For how long a worker that waits receives further messages itself; `random` is below 1. */
  readonly receiveFurtherMs: (random: number) => number;
}

interface Queue {
  readonly deadLetters: string[];
  showAt(queued: Queued, timeMs: number): void;
}

export type SimulatedWorld = ReturnType<typeof simulatedWorld>;

export function simulatedWorld(options: WorldOptions) {
  const { random = randomFrom(1), lateMs = () => 0, copies = () => 1, replays = () => false } = options;
  const time = virtualTime(options.startAt.getTime());
  const processes = faultyProcesses(time, random, options);
  const sent: Sent[] = [];
  const queues = new Map<string, Queue>();
  const schedules = new Set<string>();

  /** Runs a function in a process of its own; settles only if the process lives. */
  async function invoke<T>(timeoutSeconds: number, work: (process: Process) => Promise<T>): Promise<T> {
    const process = processes.start(timeoutSeconds);
    try {
      const result = await work(process);
      if (process.isDead()) return await never();
      process.ended = 'well';
      return result;
    } catch (error) {
      if (process.isDead()) return await never();
      process.ended = 'failed';
      throw error;
    }
  }

  function queueOf(name: string): Queue {
    const queue = queues.get(name);
    if (queue === undefined) throw new Error(`nothing consumes the queue ${name}`);
    return queue;
  }

  function put(name: string, body: string, delaySeconds = 0): void {
    for (let left = copies(name); left > 0; left -= 1)
      queueOf(name).showAt(
        { body, receives: 0, version: 0 },
        time.now() + delaySeconds * 1000 + lateMs(name),
      );
  }

  function note(path: Sent['path'], queue: string, delaySeconds: number): void {
    sent.push({ path, queue, delaySeconds, at: new Date(time.now()) });
  }

  const strict = strictSqs({
    deliver(queue, { MessageBody = '', DelaySeconds = 0 }) {
      note('queue', queue, DelaySeconds);
      put(queue, MessageBody, DelaySeconds);
    },
    refuses: options.refuses,
    // Entries that are refused are refused alone or with their whole call.
    refusesCall: () => random() < 0.5,
  });

  /** One shard: in order, a batch at a time, repeated (and halved) until `work` succeeds. */
  function shardReader<Item>(
    timeoutSeconds: number,
    work: (process: Process, items: readonly Item[]) => Promise<unknown>,
    { max, windowSeconds }: Batches,
  ): (item: Item) => void {
    const items: Item[] = [];
    let size = max;
    let reading = false;

    function read(): void {
      if (reading || items.length === 0) return;
      reading = true;
      const batch = items.slice(0, size);
      let over = false;
      const end = (succeeded: boolean): void => {
        if (over) return;
        over = true;
        if (succeeded && !replays()) items.splice(0, batch.length);
        size = succeeded ? max : Math.max(1, size >> 1);
        time.at(time.now() + (succeeded ? lateMs('stream') : streamRetryMs), () => {
          reading = false;
          read();
        });
      };
      invoke(timeoutSeconds, (process) => work(process, batch)).then(
        () => end(true),
        () => end(false),
      );
      time.at(time.now() + timeoutSeconds * 1000, () => end(false));
    }

    return (item) => {
      items.push(item);
      const waitSeconds = items.length < max ? windowSeconds : 0;
      time.at(time.now() + waitSeconds * 1000 + lateMs('stream'), read);
    };
  }

  /** Shown messages wait for one of so many workers, each of which takes a batch, and further ones while it waits. */
  function waitForWorker(
    { count, batchSize, receiveFurtherMs }: Workers,
    take: (queued: Queued) => Promise<void>,
  ): (queued: Queued) => void {
    const shown: Queued[] = [];
    const received = new Map<string, Queued>();
    let busy = 0;
    let ids = 0;
    function receive(max: number): QueueRecord[] {
      return shown.splice(0, max).map((queued) => {
        ids += 1;
        const id = String(ids);
        received.set(id, queued);
        const attributes = { ApproximateReceiveCount: String(queued.receives + 1) };
        return { messageId: id, receiptHandle: id, body: queued.body, attributes };
      });
    }
    async function longPoll(max: number): Promise<QueueRecord[]> {
      for (let waitedMs = 0; shown.length === 0 && waitedMs < 1000; waitedMs += 20) await time.sleep(20);
      return receive(max);
    }
    async function work({ messageId }: QueueRecord): Promise<HandlerResult> {
      const queued = received.get(messageId);
      received.delete(messageId);
      if (queued !== undefined) await take(queued);
      return {};
    }
    function feed(): void {
      while (busy < count && shown.length > 0) {
        busy += 1;
        processAndReceiveFurther(
          receive(batchSize),
          {
            further: { receive: longPoll, delete: async () => {} },
            changeVisibility: async () => {},
            afterMs: 300,
            untilMs: receiveFurtherMs(random()),
            messagesMax: 100,
            clock: () => new Date(time.now()),
            sleep: time.sleep,
          },
          work,
        ).finally(() => {
          busy -= 1;
          feed();
        });
      }
    }
    return (queued) => {
      shown.push(queued);
      feed();
    };
  }

  return {
    time,
    random,
    processes,
    sent: sent as readonly Sent[],
    put,
    /** The messages of a queue that were received too often. */
    deadLetters: (name: string): readonly string[] => queueOf(name).deadLetters,
    now: () => new Date(time.now()),
    run: (seconds: number) => time.runUntil(time.now() + seconds * 1000),
    invoke,

    consume(
      name: string,
      {
        timeoutSeconds,
        maxReceives,
        visibilitySeconds = timeoutSeconds * visibilityRuns,
        workers,
      }: {
        readonly timeoutSeconds: number;
        readonly maxReceives: number;
        readonly visibilitySeconds?: number;
        readonly workers?: Workers | undefined;
      },
      work: (process: Process, body: string, receives: number) => Promise<HandlerResult>,
    ): void {
      const deadLetters: string[] = [];
      function showAt(queued: Queued, timeMs: number): void {
        queued.version += 1;
        const { version } = queued;
        time.at(timeMs, () => {
          if (queued.version === version) show(queued);
        });
      }
      const show = workers === undefined ? take : waitForWorker(workers, take);
      async function take(queued: Queued): Promise<void> {
        queued.receives += 1;
        if (queued.receives > maxReceives) {
          deadLetters.push(queued.body);
          return;
        }
        showAt(queued, time.now() + visibilitySeconds * 1000);
        await invoke(timeoutSeconds, async (process) => {
          const { retryAfterSeconds } = await work(process, queued.body, queued.receives);
          if (retryAfterSeconds === undefined) return;
          const change = async () => showAt(queued, time.now() + retryAfterSeconds * 1000);
          await processes.call(process, 'change visibility', change, ['double']);
          return 'shown again';
        }).then(
          (result) => {
            // Deleted: no time counts any more.
            if (result !== 'shown again') queued.version += 1;
          },
          () => {},
        );
      }
      queues.set(name, { deadLetters, showAt });
    },

    /** Items of one key keep their order; each consumer has its own place. */
    stream<Item>() {
      const readers: ((shard: number, item: Item) => void)[] = [];
      return {
        put(key: string, item: Item): void {
          for (const read of readers) read(shardOf(key, streamShards), item);
        },
        consume(
          timeoutSeconds: number,
          work: (process: Process, items: readonly Item[]) => Promise<unknown>,
          batches: Batches = { max: 10, windowSeconds: 0 },
        ): void {
          const shards = Array.from({ length: streamShards }, () =>
            shardReader(timeoutSeconds, work, batches),
          );
          readers.push((shard, item) => shards[shard]?.(item));
        },
      };
    },

    every(seconds: number, timeoutSeconds: number, work: (process: Process) => Promise<unknown>): void {
      const again = (): void =>
        time.at(time.now() + seconds * 1000, () => {
          invoke(timeoutSeconds, work).catch(() => {});
          again();
        });
      again();
    },

    /** SQS as this process has it; the URL of a queue is its name. */
    sqs(process: Process): SQSClient {
      const send = (command: SendMessageBatchCommand) =>
        processes.call(process, 'send', () => strict.send(command));
      return { send } as unknown as SQSClient;
    },

    /** A one-shot schedule; one whose name is taken changes nothing. */
    schedule: (process: Process, name: string, at: Date, queue: string, body: string) =>
      processes.call(process, 'schedule', async () => {
        if (schedules.has(name)) return;
        schedules.add(name);
        note('schedule', queue, (at.getTime() - time.now()) / 1000);
        time.at(at.getTime() + lateMs('scheduler'), () => {
          schedules.delete(name);
          put(queue, body);
        });
      }),
  };
}
