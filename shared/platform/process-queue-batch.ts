/**
 * Works through a batch of queue messages, all at once: one that fails goes back to the queue by itself,
 * and after the queue's number of tries to its dead-letter queue; the others are done.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { log } from './log.ts';
import { countFunctionFailure } from './metrics.ts';

/** What becomes of a queue message whose work did not fail: done, or shown again after so many seconds. */
export interface HandlerResult {
  readonly retryAfterSeconds?: number | undefined;
}

export const ack: HandlerResult = {};

/** Makes the queue hide a received message for so many seconds. */
type ChangeVisibility = (receiptHandle: string, seconds: number) => Promise<void>;

/** Messages whose bodies are JSON of one form. */
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

/** Messages in whatever form. */
export async function processRecords(
  event: SQSEvent,
  work: (record: SQSRecord) => Promise<HandlerResult>,
  changeVisibility?: ChangeVisibility,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    event.Records.map(async (record) => {
      try {
        const result = await work(record);
        if (result.retryAfterSeconds === undefined) return [];
        await changeVisibility?.(record.receiptHandle, result.retryAfterSeconds);
      } catch (error) {
        const receives = record.attributes.ApproximateReceiveCount;
        log.error('queue message failed', { queue_message_id: record.messageId, receives, error });
        countFunctionFailure();
      }
      return [{ itemIdentifier: record.messageId }];
    }),
  );
  return { batchItemFailures: failed.flat() };
}
