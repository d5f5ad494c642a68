/** How a message is shown to the client that owns it (contract, section 5). */
import { historyOf, type Message } from './message.ts';

/** The answer to a send: the same for a repeat of it, whatever has become of the message since. */
export function acceptedView(message: Message): Record<string, unknown> {
  return {
    message_id: message.message_id,
    status: message.scheduled_at === undefined ? 'queued' : 'scheduled',
    channel: message.channel,
    recipient: message.recipient,
    ...(message.channel === 'sms' ? { encoding: message.encoding, segments: message.segments } : {}),
    reference: message.reference ?? null,
    ...(message.scheduled_at === undefined ? {} : { scheduled_at: message.scheduled_at }),
    created_at: message.created_at,
  };
}

/** The answer to a status look-up. */
export function statusView(message: Message): Record<string, unknown> {
  return {
    message_id: message.message_id,
    client_id: message.client_id,
    channel: message.channel,
    status: message.status,
    recipient: message.recipient,
    from: message.from ?? null,
    type: message.type,
    reference: message.reference ?? null,
    ...(message.channel === 'sms'
      ? { encoding: message.encoding ?? null, segments: message.segments ?? null }
      : {}),
    cost: message.cost ?? null,
    currency: message.currency ?? null,
    error:
      message.error_code === undefined
        ? null
        : { code: message.error_code, message: message.error_message ?? null },
    created_at: message.created_at,
    scheduled_at: message.scheduled_at ?? null,
    sent_at: message.sent_at ?? null,
    delivered_at: message.delivered_at ?? null,
    read_at: message.read_at ?? null,
    expires_at: message.expires_at,
    history: historyOf(message),
  };
}
