/**
 * Handles stream records of messages that failed until their last retry: Lambda sends the position of each batch to a
 * queue. They are passed on to the relay's dead-letter queue for an operator.
 */

import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { receiverOn } from '../platform/aws/queues.sqs.ts';
import { jsonIn } from '../platform/object-fields.ts';
import type { QueueRecord } from '../platform/process-queue-batch.ts';
import { spanOf, type TimeRange } from './expire-messages.ts';

const time = z.iso.datetime({ offset: true });

/** AWS Lambda, "Retain discarded batch records": the message of a failed batch of a stream. */
const failedBatch = z.object({
  DDBStreamBatchInfo: z.object({
    approximateArrivalOfFirstRecord: time,
    approximateArrivalOfLastRecord: time,
    streamArn: z.optional(z.string()),
  }),
});

/** Returns the time in which the records arrived, and the stream; undefined if it is not a failed batch. */
export function failedBatchIn(
  json: unknown,
): (TimeRange & { readonly streamArn: string | undefined }) | undefined {
  const { data } = failedBatch.safeParse(json);
  if (data === undefined) return undefined;
  const { approximateArrivalOfFirstRecord: first, approximateArrivalOfLastRecord: last } =
    data.DDBStreamBatchInfo;
  return {
    since: new Date(first).toISOString(),
    until: new Date(last).toISOString(),
    streamArn: data.DDBStreamBatchInfo.streamArn,
  };
}

const receivedAtOnce = 10;

export type LostRecords = ReturnType<typeof sqsLostRecords>;

export function sqsLostRecords(
  client: SQSClient,
  queueUrl: string,
  keepCopy: (copy: unknown) => Promise<void>,
  clock: () => Date,
) {
  const queue = receiverOn(client, queueUrl);
  let read: readonly QueueRecord[] = [];

  /**
   * Returns the time of the failed batch. Anything else was sent by hand and has no time, so it covers the last day:
   * a stream keeps records for a day.
   */
  function rangeOf({ body }: QueueRecord): TimeRange {
    const batch = failedBatchIn(jsonIn(body));
    if (batch !== undefined) return batch;
    const now = clock().getTime();
    return { since: new Date(now - 86_400_000).toISOString(), until: new Date(now).toISOString() };
  }

  return {
    /** Returns the time in which some of them arrived in the stream; undefined if there are none. */
    async arrived(): Promise<TimeRange | undefined> {
      read = await queue.receive(receivedAtOnce);
      return read.length === 0 ? undefined : spanOf(read.map(rangeOf));
    },

    /** Passes the records that `arrived` read on to an operator. The next call reads others. */
    async handOn(): Promise<void> {
      for (const { body, receiptHandle } of read) {
        await keepCopy(jsonIn(body) ?? body);
        await queue.delete(receiptHandle);
      }
    },
  };
}
