/** Shows the messages to and from one recipient, of all clients or of one client, newest first. */
import * as z from 'zod/mini';
import { modeOf } from '../contract/mode.ts';
import { recipientSchema } from '../contract/phone-number.ts';
import { whatsAppUserId } from '../contract/recipient-forms.ts';
import { isUnassigned } from '../message/find-owner.ts';
import { messageCursor } from '../message/list-own-messages.ts';
import type { Message } from '../message/message.ts';
import { windowEnd, windowOpenedAt } from '../message/store/whatsapp-window.dynamo.ts';
import { suppressionView } from '../message/suppression/manage-suppressions.ts';
import { suppressionOf } from '../message/suppression/suppressions.dynamo.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import { cursor, keyText, pageSize } from './request-fields.ts';

/**
 * The other party of a conversation: a phone number, or a short code or a WhatsApp user. The last two can only write to us.
 */
const person = z.union([
  z.string().check(z.regex(/^[0-9]{3,6}$/)),
  z.string().check(z.regex(whatsAppUserId)),
  recipientSchema,
]);

export const personInPath = z.object({ person });

export const conversationQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
});

export async function showConversation(
  ctx: AdminContext,
  person: string,
  { client_id: client, limit, cursor }: z.output<typeof conversationQuery>,
) {
  const client_id = client === undefined ? undefined : await clientIdOf(ctx, client);
  const filter = { recipient: person, mode: client_id === undefined ? ctx.mode : modeOf(client_id) };
  const page = { limit, cursor: messageCursor.decode(cursor), condition: { client_id } };
  const { messages, nextCursor } = await ctx.messages.search(filter, page);
  const owned = messages.filter((message) => !isUnassigned(message));
  const clientIds = new Set(owned.map((message) => message.client_id));
  if (client_id !== undefined) clientIds.add(client_id);
  return {
    person,
    messages: messages.map(conversationMessage),
    /** The clients of the messages on this page. */
    clients: await Promise.all([...clientIds].map((id) => conversationClient(ctx, id, person))),
    ...messageCursor.next(nextCursor),
  };
}

export function conversationMessage(message: Message) {
  return {
    message_id: message.message_id,
    /** Null for an inbound message that belongs to no client. */
    client_id: isUnassigned(message) ? null : message.client_id,
    direction: message.direction ?? 'outbound',
    channel: message.channel,
    status: message.status,
    /** Our number or sender ID; null if the stage's default sender was used. */
    number: message.from ?? null,
    /** The text. In a one-time password, `{{code}}` replaces the code. */
    text: message.text ?? null,
    whatsapp: message.received_content ?? message.whatsapp ?? null,
    at: message.created_at,
    /** The message that this message replies to, if the carrier named it. */
    in_reply_to: message.in_reply_to ?? null,
    /** `opt_out` or `opt_in` if the message is a keyword that requests this. */
    asks_for: message.opt_keyword ?? null,
    error_code: message.error_code ?? null,
  };
}

export async function conversationClient(context: AdminContext, clientId: string, person: string) {
  const { clock } = context;
  const [suppression, openedAt] = await Promise.all([
    suppressionOf(context, clientId, person),
    windowOpenedAt(context, clientId, person),
  ]);
  return {
    client_id: clientId,
    suppression: suppression === undefined ? null : suppressionView(suppression),
    /** Null if WhatsApp currently accepts only templates. */
    window_expires_at: windowEnd(openedAt, clock())?.toISOString() ?? null,
  };
}
