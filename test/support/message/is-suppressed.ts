/** Returns true if the suppressions that are stored now stop a message from this sender. */
import type { Message } from '../../../shared/message/message.ts';
import { suppressedIn, suppressionKeysOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { batchRead } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../../shared/platform/context.ts';

export async function isSuppressed(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  message: Message,
  from: string | undefined,
): Promise<boolean> {
  const rows = await batchRead(db, env.SUPPRESSIONS_TABLE, suppressionKeysOf(message, from));
  return suppressedIn(rows, [message]).size > 0;
}
