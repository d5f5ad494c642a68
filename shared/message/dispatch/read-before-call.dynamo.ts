/** Reads in one call what may have changed while a message waited for its hand-over. */
import { type Row, readTogether } from '../../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../platform/context.ts';
import type { Message } from '../message.ts';
import { contactKeyOf } from '../store/contacts.dynamo.ts';
import { suppressedIn, suppressionKeysOf } from '../suppression/suppressions.dynamo.ts';

/**
 * Returns if the message may not be handed over, and which client last wrote to its recipient from its sender.
 *
 * @param from - the sender of the message; undefined if the carrier chooses
 */
export async function readBeforeCall(
  { db, env }: Context<'SUPPRESSIONS_TABLE' | 'WHATSAPP_WINDOWS_TABLE'>,
  message: Message,
  from: string | undefined,
): Promise<{ readonly isSuppressed: boolean; readonly contact: Row | undefined }> {
  const contactKey = contactKeyOf(message, from);
  const rows = await readTogether(db, {
    // This read is eventually consistent (docs/decisions/suppressions-are-read-at-hand-over.md).
    [env.SUPPRESSIONS_TABLE]: { Keys: suppressionKeysOf(message, from) },
    // A stale read may miss that another client has just written; a reply to this message would then go to that client.
    ...(contactKey && { [env.WHATSAPP_WINDOWS_TABLE]: { Keys: [{ ...contactKey }], ConsistentRead: true } }),
  });
  const { [env.SUPPRESSIONS_TABLE]: suppressions = [], [env.WHATSAPP_WINDOWS_TABLE]: contacts = [] } = rows;
  return { isSuppressed: suppressedIn(suppressions, [message]).size > 0, contact: contacts[0] };
}
