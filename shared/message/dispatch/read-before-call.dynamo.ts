/** Reads what may have changed while a message waited for its hand-over. */
import { type Row, readShared } from '../../platform/aws/read-rows.dynamo.ts';
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
  const [contact, ...suppressions] = await Promise.all([
    // A stale read may miss that another client has just written; a reply to this message would then go to that client.
    contactKey &&
      readShared(db, { table: env.WHATSAPP_WINDOWS_TABLE, key: { ...contactKey }, consistent: true }),
    // This read is eventually consistent (docs/decisions/suppressions-are-read-at-hand-over.md).
    ...suppressionKeysOf(message, from).map((key) =>
      readShared(db, { table: env.SUPPRESSIONS_TABLE, key: { ...key }, consistent: false }),
    ),
  ]);
  const rows = suppressions.filter((row) => row !== undefined);
  return { isSuppressed: suppressedIn(rows, [message]).size > 0, contact };
}
