/**
 * Processes a batch of queue messages concurrently. A failed message returns to the queue and, after the maximum number of
 * receives, goes to the dead-letter queue. The others are deleted.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { countMetric, log } from './log.ts';

export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
}

export function processBatch<Schema extends z.ZodMiniType>(
  event: SQSEvent,
  schema: Schema,
  work: (
    message: z.output<Schema>,
    record: SQSRecord,
  ) => Promise<{
    readonly retryAfterSeconds?: number | undefined;
  }>,
  changeVisibility?: (receiptHandle: string, seconds: number) => Promise<void>,
): Promise<SQSBatchResponse> {
  return processRecords(
    event,
    (record) => work(schema.parse(JSON.parse(record.body)), record),
    changeVisibility,
  );
}

export async function processRecords(
  event: SQSEvent,
  work: (record: SQSRecord) => Promise<{
    readonly retryAfterSeconds?: number | undefined;
  }>,
  changeVisibility?: (receiptHandle: string, seconds: number) => Promise<void>,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    event.Records.map(async (record) => {
      const { messageId, receiptHandle, attributes } = record;
      try {
        const { retryAfterSeconds } = await work(record);
        if (retryAfterSeconds === undefined) return [];
        await changeVisibility?.(receiptHandle, retryAfterSeconds);
      } catch (error) {
        const receives = attributes.ApproximateReceiveCount;
        log.error('queue message failed', { queue_message_id: messageId, receives, error });
        countMetric('WorkFailed');
      }
      return [{ itemIdentifier: messageId }];
    }),
  );
  return { batchItemFailures: failed.flat() };
}
