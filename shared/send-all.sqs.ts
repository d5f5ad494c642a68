/** Puts messages on a queue, ten to a call, for SQS charges for calls; it ends when every one is surely there. */
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { chunksOf } from './chunks.ts';

type QueueMessage = Omit<SendMessageBatchRequestEntry, 'Id'>;

/** What SQS takes in one call. */
const batchSize = 10;

/** @throws when any of them is not surely in the queue. */
export async function sendAll(
  client: SQSClient,
  queueUrl: string,
  messages: readonly QueueMessage[],
): Promise<void> {
  await Promise.all(chunksOf(messages, batchSize).map((batch) => sendBatch(client, queueUrl, batch)));
}

async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  messages: readonly QueueMessage[],
): Promise<void> {
  const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
  const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  const failed = answer.Failed?.length ?? 0;
  if (failed > 0) throw new Error(`${failed} of ${messages.length} messages were not taken by the queue`);
}
