/**
 * Works through a batch of queue messages, all at once: one that fails goes back to the queue by itself,
 * and after the queue's number of tries to its dead-letter queue; the others are done.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { log } from './log.ts';

export async function processBatch<Schema extends z.ZodType>(
  event: SQSEvent,
  schema: Schema,
  work: (message: z.output<Schema>, record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    event.Records.map(async (record) => {
      try {
        await work(schema.parse(JSON.parse(record.body)), record);
        return [];
      } catch (error) {
        const receives = record.attributes.ApproximateReceiveCount;
        log.error('queue message failed', { queue_message_id: record.messageId, receives, error });
        return [{ itemIdentifier: record.messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
}
