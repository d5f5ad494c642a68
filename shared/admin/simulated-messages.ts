/**
 * An administrator's operations on the simulated carrier: lists the messages that it accepted (test messages of a
 * client, and live messages if it carries them), and simulates inbound messages.
 */
import * as z from 'zod/mini';
import { testOutboxDays } from '../carrier/simulator/outbox.dynamo.ts';
import {
  carrierIdOf,
  inboundNotification,
  simulatorNumber,
} from '../carrier/simulator/simulated-recipients.ts';
import { outboxCursor } from '../carrier/simulator/test-outbox.ts';
import { channels } from '../contract/channels.ts';
import { GatewayError } from '../contract/errors.ts';
import { clientIdIn, modes } from '../contract/mode.ts';
import { personInQuery, personSchema, recipientSchema } from '../contract/phone-number.ts';
import { isWhatsAppUserId, sendableUserId } from '../contract/recipient-forms.ts';
import { inboundIdOf } from '../message/receive-message.ts';
import { requiredField } from '../operation/operation.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import { cursor, keyText, pageSize, textUpTo } from './request-fields.ts';

export const outboxQuery = z.object({
  to: z.optional(personInQuery),
  /** The client (id or name) that owns the test messages. */
  client_id: z.optional(keyText),
  limit: pageSize,
  cursor,
});

/**
 * Lists the live messages of all clients, or the test messages of one, newest first. @throws GatewayError `not_found`
 * for live messages if the carrier is not the simulator.
 */
export async function listOutbox(
  ctx: AdminContext,
  { to, client_id, limit, cursor }: z.output<typeof outboxQuery>,
) {
  const { outbox, isSimulated, clock, retentionDays, mode } = ctx;
  const clientId = client_id && clientIdIn('test', await clientIdOf(ctx, client_id));
  if (clientId === undefined && mode === 'test')
    throw new GatewayError('invalid_request', 'Name the client whose test messages are wanted.', {
      details: [{ field: 'client_id', message: requiredField }],
    });
  if (clientId === undefined && !isSimulated) {
    throw new GatewayError(
      'not_found',
      'This stage has an outbox of test messages only, because its carrier is a real one. Name their client.',
    );
  }
  const now = clock();
  const keptDays = clientId === undefined ? retentionDays : testOutboxDays + 1;
  const days = Array.from({ length: keptDays }, (_day, ago) => dayOf(addDays(now, -ago)));
  const since = clientId === undefined ? undefined : addDays(now, -testOutboxDays);
  const before = outboxCursor.decode(cursor);
  const range = { clientId, since, limit, before };
  const { entries, next } = await outbox.page(to === undefined ? { days } : { to }, range);
  return {
    messages: entries.map(({ message_id, channel, to, from, body, at }) => ({
      message_id,
      channel,
      to,
      /** Null if the message named no sender. */
      from: from ?? null,
      body,
      at,
    })),
    ...outboxCursor.next(next),
  };
}

/** The maximum length of an SMS in 7-bit characters: ten parts, because no handset sends more. */
const inboundCharactersMax = 1600;

export const inboundBody = z.object({
  channel: z._default(z.enum(channels), 'sms'),
  from: personSchema,
  /** The id of a WhatsApp user, told beside the number. */
  user_id: z.optional(z.string().check(z.regex(sendableUserId))),
  to: z.optional(z.nullable(recipientSchema)),
  text: textUpTo(inboundCharactersMax),
  /** The mode of the data that receives the message; default: the mode of the request. */
  mode: z.optional(z.enum(modes)),
});

/**
 * Sends the notification that a carrier would send, through the same queue.
 *
 * @returns the message, with the id under which it will be stored
 * @throws GatewayError `not_found` for live data if no carrier is the simulator.
 */
export async function sendInbound(
  ctx: AdminContext,
  { channel, from, user_id: userId, to: number, text, mode = ctx.mode }: z.output<typeof inboundBody>,
) {
  if (channel === 'sms' && isWhatsAppUserId(from))
    throw new GatewayError('invalid_request', 'A WhatsApp user has no SMS: set the channel to whatsapp.');
  const { simulatedInbound, isSimulated, clock, newId } = ctx;
  if (mode === 'live' && !isSimulated) {
    throw new GatewayError(
      'not_found',
      'This stage makes up messages to test data only, because its carrier is a real one.',
    );
  }
  const to = number ?? simulatorNumber;
  const at = clock();
  const id = newId();
  const body = inboundNotification({
    ...{ channel, from, userId, to, text, id, at },
    mode: mode === 'test' ? mode : undefined,
  });
  // The client is not known yet, so the fair queue groups the messages by recipient.
  await simulatedInbound([{ body, delaySeconds: 0 }], from);
  const message_id = inboundIdOf({ channel, carrierMessageId: carrierIdOf(channel, id) });
  return { message_id, channel, from, to, text, at: at.toISOString() };
}
