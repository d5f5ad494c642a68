/**
 * Processes a batch of queue messages concurrently. A failed one returns to the queue, and after the queue's maximum
 * number of receives goes to the dead-letter queue; the others are deleted.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Clock, Sleep } from './clock.ts';
import { countMetric, log } from './log.ts';

/** The result of a message whose work did not fail: the message is deleted, or received again after this time. */
export interface HandlerResult {
  readonly retryAfterSeconds?: number | undefined;
}

export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
}

type ChangeVisibility = (receiptHandle: string, seconds: number) => Promise<void>;

export function processBatch<Schema extends z.ZodMiniType>(
  event: SQSEvent,
  schema: Schema,
  work: (message: z.output<Schema>, record: SQSRecord) => Promise<HandlerResult>,
  changeVisibility?: ChangeVisibility,
): Promise<SQSBatchResponse> {
  return processRecords(
    event,
    (record) => work(schema.parse(JSON.parse(record.body)), record),
    changeVisibility,
  );
}

export async function processRecords(
  event: SQSEvent,
  work: (record: SQSRecord) => Promise<HandlerResult>,
  changeVisibility?: ChangeVisibility,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    event.Records.map(async (record) =>
      (await processRecord(record, work, changeVisibility)) ? [] : [{ itemIdentifier: record.messageId }],
    ),
  );
  return { batchItemFailures: failed.flat() };
}

/** Does the work of one message. Returns true if it can be deleted. Never throws: a failure is logged and counted. */
async function processRecord<Message extends QueueRecord>(
  record: Message,
  work: (record: Message) => Promise<HandlerResult>,
  changeVisibility?: ChangeVisibility,
): Promise<boolean> {
  try {
    const { retryAfterSeconds } = await work(record);
    if (retryAfterSeconds === undefined) return true;
    await changeVisibility?.(record.receiptHandle, retryAfterSeconds);
  } catch (error) {
    const receives = record.attributes.ApproximateReceiveCount;
    log.error('queue message failed', { queue_message_id: record.messageId, receives, error });
    countMetric('WorkFailed');
  }
  return false;
}

export interface FurtherMessages {
  /** Receives at most `max` messages, which is at most ten; waits up to a second for the first. */
  receive(max: number): Promise<readonly QueueRecord[]>;
  delete(receiptHandle: string): Promise<void>;
}

export interface FurtherOptions {
  readonly further: FurtherMessages;
  readonly changeVisibility: ChangeVisibility;
  /** A batch that has ended by then receives no further messages. */
  readonly afterMs: number;
  /** Counts from the start of the batch. The last received message must end before the function's time limit. */
  readonly untilMs: number;
  readonly messagesMax: number;
  /** The number of messages that wait for another system now; by default all. */
  readonly waiting?: () => number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

const receiveMax = 10;
/**
 * A worker with this many messages that do not wait receives no further ones. Otherwise, if calls to the gateway's
 * own tables are slow, it would take more and more messages and slow them down further.
 */
const busyMax = 10;
/** With as many messages as it may have, or after a failed call, it waits this long before it tries to receive again. */
const pauseMs = 200;

/**
 * Processes a batch of queue messages. While it waits for the slowest of them, it receives further messages from the
 * same queue, so a few workers take every message without delay, however many messages take long. If none takes long,
 * it makes no call.
 *
 * A further message is deleted when its work has succeeded. If the work fails or the worker dies, the message is
 * shown again after the visibility timeout, like one of Lambda's batch.
 *
 * `work` also gets the message's position in the batch or call in which it was received.
 *
 * @returns the failed messages of the batch, as Lambda expects them.
 */
export async function processAndReceiveFurther<Message extends QueueRecord>(
  records: readonly Message[],
  options: FurtherOptions,
  work: (record: QueueRecord, position: number, received: number) => Promise<HandlerResult>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> {
  const { further, changeVisibility, afterMs, untilMs, messagesMax, waiting, clock, sleep } = options;
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
    const busy = running.size - (waiting?.() ?? running.size);
    if (running.size < messagesMax && busy < busyMax) await receiveMore();
    else await Promise.race([...running, sleep(pauseMs)]);
  }
  await allEnded();
  return { batchItemFailures };
}

/** Counts the calls of some functions that have not ended. */
export function countRunning() {
  let running = 0;
  return {
    count: () => running,
    counted<Args extends unknown[], Result>(
      call: (...args: Args) => Promise<Result>,
    ): (...args: Args) => Promise<Result> {
      return async (...args) => {
        running += 1;
        try {
          return await call(...args);
        } finally {
          running -= 1;
        }
      };
    },
  };
}
