/** Reads what may have changed while a message waited for its hand-over. */
import { modeOf } from '../../contract/mode.ts';
import { isWhatsAppUserId } from '../../contract/recipient-forms.ts';
import { type Row, readShared } from '../../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../platform/context.ts';
import { anySender } from '../attempt.ts';
import type { Message } from '../message.ts';
import { contactKeyOf } from '../store/contacts.dynamo.ts';
import { numberIn, userKey } from '../store/whatsapp-users.dynamo.ts';
import { suppressedIn, suppressionKeysOf } from '../suppression/suppressions.dynamo.ts';

/**
 * Returns if the message may not be handed over, and which client last wrote to its recipient from its sender. A message to
 * the id of a WhatsApp user may not be handed over either if the user's number is suppressed.
 *
 * @param from - the sender of the message; undefined if the carrier chooses
 */
export async function readBeforeCall(
  { db, env }: Context<'SUPPRESSIONS_TABLE' | 'WHATSAPP_WINDOWS_TABLE'>,
  message: Message,
  from: string | undefined,
): Promise<{ readonly isSuppressed: boolean; readonly contact: Row | undefined }> {
  const { client_id, recipient } = message;
  const contactKey = contactKeyOf(message, from);
  const userAt = isWhatsAppUserId(recipient) && userKey(recipient, from ?? anySender, modeOf(client_id));
  // This read is eventually consistent (docs/decisions/suppressions-are-read-at-hand-over.md).
  const suppressionsOf = (to: string) =>
    suppressionKeysOf({ ...message, recipient: to }, from).map((key) =>
      readShared(db, { table: env.SUPPRESSIONS_TABLE, key: { ...key }, consistent: false }),
    );
  const [contact, user, ...suppressions] = await Promise.all([
    // A stale read may miss that another client has just written; a reply to this message would then go to that client.
    contactKey &&
      readShared(db, { table: env.WHATSAPP_WINDOWS_TABLE, key: { ...contactKey }, consistent: true }),
    userAt && readShared(db, { table: env.WHATSAPP_WINDOWS_TABLE, key: userAt, consistent: true }),
    ...suppressionsOf(recipient),
  ]);
  const number = user ? numberIn(user) : undefined;
  const ofNumber = number === undefined ? [] : await Promise.all(suppressionsOf(number));
  const rows = [...suppressions, ...ofNumber].filter((row) => row !== undefined);
  return { isSuppressed: suppressedIn(rows, [message]).size > 0, contact };
}
