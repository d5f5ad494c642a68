/** Puts a copy of a stream record that cannot be relayed into the queue of records that are relayed again. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { queueText } from '../platform/aws/queues.sqs.ts';

/** The message size that every region accepts. Two images of a row can be larger. */
const bytesMax = 262_144;
const shownCharacters = 30_000;

export function sqsDeadLetters(client: SQSClient, queueUrl: string) {
  return async (copy: unknown): Promise<void> => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: bodyOf(copy) }));
  };
}

function bodyOf(copy: unknown): string {
  const json = queueText(JSON.stringify(copy));
  const bytes = Buffer.byteLength(json);
  if (bytes <= bytesMax) return json;
  return queueText(JSON.stringify({ too_large: bytes, beginning: json.slice(0, shownCharacters) }));
}
