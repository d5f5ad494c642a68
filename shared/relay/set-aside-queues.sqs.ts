/** Accesses the queues of set-aside work for an administrator's shell. */

import type { SQSClient } from '@aws-sdk/client-sqs';
import { changeVisibilityOn, receiveFrom, receiverOn, sendMessages } from '../platform/aws/queues.sqs.ts';
import { relayQueue, type SetAsideMessage } from './set-aside-records.ts';

/** The URLs of a gateway's queues, by their names in the stack's outputs. */
type QueueUrls = Readonly<Record<string, string>>;

const hiddenSeconds = 60;
const deadLettersEnding = '_dead_letters';

/**
 * Reads the messages of all queues, oldest first. Other readers do not see them until `releaseSetAside`, for at most a
 * minute.
 */
export async function readSetAside(sqs: SQSClient, urls: QueueUrls): Promise<readonly SetAsideMessage[]> {
  const names = Object.keys(urls).filter((name) => name.endsWith(deadLettersEnding) || name === relayQueue);
  const read = await Promise.all(names.map((name) => readQueue(sqs, name, urlOf(urls, name))));
  return read.flat().toSorted((one, other) => (one.sentAt < other.sentAt ? -1 : 1));
}

async function readQueue(sqs: SQSClient, queue: string, QueueUrl: string) {
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: hiddenSeconds };
  const found = new Map<string, SetAsideMessage>();
  for (;;) {
    const records = await receiveFrom(sqs, input, 'SentTimestamp', 'MessageGroupId');
    if (records.length === 0) return [...found.values()];
    for (const record of records) {
      const { SentTimestamp = 0, MessageGroupId = '-' } = record.attributes ?? {};
      const sentAt = new Date(Number(SentTimestamp)).toISOString();
      found.set(record.messageId, { ...record, queue, sentAt, clientId: MessageGroupId });
    }
  }
}

export async function deleteSetAside(
  sqs: SQSClient,
  urls: QueueUrls,
  { queue, receiptHandle }: SetAsideMessage,
): Promise<void> {
  await receiverOn(sqs, urlOf(urls, queue)).delete(receiptHandle);
}

/** Makes a message visible again to other readers and to the alarm. */
export async function releaseSetAside(
  sqs: SQSClient,
  urls: QueueUrls,
  { queue, receiptHandle }: SetAsideMessage,
): Promise<void> {
  await changeVisibilityOn(sqs, urlOf(urls, queue))(receiptHandle, 0);
}

/** Sends a dead letter back to its original queue. */
export async function sendBackSetAside(
  sqs: SQSClient,
  urls: QueueUrls,
  { queue, body, clientId }: SetAsideMessage,
): Promise<void> {
  const source = urlOf(urls, queue.slice(0, -deadLettersEnding.length));
  await sendMessages(sqs, source, [{ json: body, clientId }]);
}

function urlOf(urls: QueueUrls, queue: string): string {
  const url = urls[queue];
  if (url === undefined) throw new Error(`The queue ${queue} is not known.`);
  return url;
}
