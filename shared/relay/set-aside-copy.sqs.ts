/** Puts a copy of a stream record that cannot be relayed into the dead-letter queue of the relay. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { queueText } from '../platform/aws/queues.sqs.ts';
import type { Context } from '../platform/context.ts';

/** The message size that every region accepts, which two images of a row can exceed. */
const bytesMax = 262_144;
const shownCharacters = 30_000;

export async function sendSetAside(
  { sqs, env }: Context<'RELAY_DEAD_LETTER_QUEUE_URL'>,
  copy: unknown,
): Promise<void> {
  const QueueUrl = env.RELAY_DEAD_LETTER_QUEUE_URL;
  await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: bodyOf(copy) }));
}

function bodyOf(copy: unknown): string {
  const json = queueText(JSON.stringify(copy));
  const bytes = Buffer.byteLength(json);
  if (bytes <= bytesMax) return json;
  return queueText(JSON.stringify({ too_large: bytes, beginning: json.slice(0, shownCharacters) }));
}
