/** Puts messages on a queue, ten to a call: SQS charges for calls. */
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** What SQS takes in one call. */
const batchSize = 10;

/** @throws when any of them is not surely in the queue. */
export async function sendAll(
  client: SQSClient,
  queueUrl: string,
  messages: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
): Promise<void> {
  const calls: Promise<void>[] = [];
  for (let from = 0; from < messages.length; from += batchSize) {
    calls.push(sendBatch(client, queueUrl, messages.slice(from, from + batchSize)));
  }
  await Promise.all(calls);
}

async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  messages: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
): Promise<void> {
  const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
  const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  const failed = answer.Failed?.length ?? 0;
  if (failed > 0) throw new Error(`${failed} of ${messages.length} messages were not taken by the queue`);
}
