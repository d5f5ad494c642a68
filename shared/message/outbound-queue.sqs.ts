/** The outbound queue on SQS: fair between clients by `MessageGroupId`. */
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OutboundEntry, OutboundQueue } from './outbound-queue.ts';

/** What SQS takes in one call. */
const batchSize = 10;

export function sqsOutboundQueue(client: SQSClient, queueUrl: string): OutboundQueue {
  async function send(entries: readonly OutboundEntry[]): Promise<void> {
    const answer = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: entries.map((entry, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ message_id: entry.messageId }),
          MessageGroupId: entry.clientId,
          ...(entry.delaySeconds === undefined ? {} : { DelaySeconds: entry.delaySeconds }),
        })),
      }),
    );
    const failed = answer.Failed?.length ?? 0;
    if (failed > 0)
      throw new Error(`${failed} of ${entries.length} messages were not taken by the outbound queue`);
  }

  return {
    async enqueue(entries) {
      const batches: Promise<void>[] = [];
      for (let from = 0; from < entries.length; from += batchSize) {
        batches.push(send(entries.slice(from, from + batchSize)));
      }
      await Promise.all(batches);
    },
  };
}
