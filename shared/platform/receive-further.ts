/**
 * Processes a batch of queue messages, and while it waits for the slowest of them receives further ones from the same
 * queue. So a few workers take every message without delay, however many messages take long. If none takes long, it makes
 * no call.
 *
 * A further message is deleted when its work has succeeded. One that failed, or whose worker died, is shown again after
 * the visibility timeout, as one of Lambda's batch is.
 */
import type { Clock, Sleep } from './clock.ts';
import { log } from './log.ts';
import {
  type ChangeVisibility,
  type HandlerResult,
  processRecord,
  type QueueRecord,
} from './process-queue-batch.ts';

export interface FurtherMessages {
  /** At most `max`, which is at most ten; waits for the first for up to a second. */
  receive(max: number): Promise<readonly QueueRecord[]>;
  delete(receiptHandle: string): Promise<void>;
}

export interface FurtherOptions {
  readonly further: FurtherMessages;
  readonly changeVisibility: ChangeVisibility;
  /** A batch that has ended by then receives no further messages. */
  readonly afterMs: number;
  /** Counts from the start of the batch: what is received last must end before the function's time limit. */
  readonly untilMs: number;
  /** How many messages a worker has at once. */
  readonly messagesMax: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** The most that one call receives. */
const receiveMax = 10;
/** With as many messages as it may have, or after a failed call, it waits this long before it tries to receive again. */
const pauseMs = 200;

/**
 * `work` also gets the message's position among those that it was received with.
 *
 * @returns the failed messages of the batch, as Lambda takes them.
 */
export async function processAndReceiveFurther<Message extends QueueRecord>(
  records: readonly Message[],
  options: FurtherOptions,
  work: (record: QueueRecord, position: number, received: number) => Promise<HandlerResult>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> {
  const { further, changeVisibility, afterMs, untilMs, messagesMax, clock, sleep } = options;
  const startedAt = clock().getTime();
  const running = new Set<Promise<unknown>>();
  const batchItemFailures: { itemIdentifier: string }[] = [];

  function start(received: readonly QueueRecord[], ended: (record: QueueRecord, done: boolean) => unknown) {
    received.forEach((record, position) => {
      const run = processRecord(record, () => work(record, position, received.length), changeVisibility)
        .then((done) => ended(record, done))
        .finally(() => running.delete(run));
      running.add(run);
    });
  }
  async function removed({ messageId, receiptHandle }: QueueRecord, done: boolean): Promise<void> {
    if (!done) return;
    try {
      await further.delete(receiptHandle);
    } catch (error) {
      // It is shown again, and its work finds nothing left to do.
      log.warn('a processed queue message could not be deleted', { queue_message_id: messageId, error });
    }
  }
  async function receiveMore(): Promise<void> {
    try {
      start(await further.receive(Math.min(receiveMax, messagesMax - running.size)), removed);
    } catch (error) {
      log.warn('no further queue messages could be received', { error });
      await sleep(pauseMs);
    }
  }
  const allEnded = async () => {
    while (running.size > 0) await Promise.all(running);
  };

  start(records, ({ messageId: itemIdentifier }, done) => {
    if (!done) batchItemFailures.push({ itemIdentifier });
  });
  await Promise.race([allEnded(), sleep(afterMs)]);
  while (running.size > 0 && clock().getTime() - startedAt < untilMs) {
    if (running.size < messagesMax) await receiveMore();
    else await Promise.race([...running, sleep(pauseMs)]);
  }
  await allEnded();
  return { batchItemFailures };
}
