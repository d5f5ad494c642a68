/** The body of a webhook (specification, section 2.4). It depends on the message and the event only. */
import { messageError } from '../../contract/message-error-codes.ts';
import { type EventStatus, fromOf, type Message } from '../../message/message.ts';
import type { InboundEventData, RecipientEventData, WebhookEventData } from './event-body.schema.ts';

/** The event's name (specification, section 6.1). There is no `whatsapp.expired`; `whatsapp.failed` is sent instead. */
export function eventName(message: Message, status: EventStatus): string {
  return message.channel === 'whatsapp' && status === 'expired'
    ? 'whatsapp.failed'
    : `${message.channel}.${status}`;
}

/**
 * The JSON text to post. A field that is not yet known at this event is absent, never null (contract, section 7).
 * `data.status` is the state of the event, even if the message has a later state by now.
 *
 * @throws Error when the message never entered that state.
 */
export function eventBody(message: Message, status: EventStatus): string {
  const enteredAt = message[`${status}_at`];
  if (enteredAt === undefined) throw new Error(`${message.message_id} has not been ${status}`);
  if (status === 'received') return receivedBody(message, enteredAt);
  const arrived = status === 'delivered' || status === 'read';
  const data: WebhookEventData = {
    message_id: message.message_id,
    recipient: message.recipient,
    from: fromOf(message),
    status,
    sent_at: message.sent_at,
    delivered_at: arrived ? message.delivered_at : undefined,
    read_at: status === 'read' ? message.read_at : undefined,
    cost: message.cost,
    currency: message.currency,
    reference: message.reference,
    client_id: message.client_id,
    fallback_of: message.fallback_of,
    ...errorOf(message, status),
  };
  return JSON.stringify({ event: eventName(message, status), timestamp: enteredAt, data });
}

/** Of an inbound message (contract, section 13). */
function receivedBody(message: Message, receivedAt: string): string {
  const data: InboundEventData = {
    message_id: message.message_id,
    client_id: message.client_id,
    status: 'received',
    from: message.recipient,
    to: message.from ?? '',
    text: message.text,
    whatsapp: message.received_content,
    received_at: receivedAt,
    in_reply_to: message.in_reply_to,
  };
  return JSON.stringify({ event: eventName(message, 'received'), timestamp: receivedAt, data });
}

/** What is known of a recipient's wish (contract, section 13). */
export function recipientEventBody(message: Message, event: string, happenedAt: string): string {
  const { message_id, client_id, recipient, channel, direction } = message;
  const source = direction === 'inbound' ? 'keyword' : 'carrier';
  const data: RecipientEventData = { message_id, client_id, recipient, channel, source };
  return JSON.stringify({ event, timestamp: happenedAt, data });
}

function errorOf(message: Message, status: EventStatus): { error_code?: string; error_message?: string } {
  if (status !== 'expired' && status !== 'failed') return {};
  const { errorCode, errorMessage } = messageError(status === 'expired' ? 'expired' : 'unknown');
  const isWhatsAppTimeOut = message.channel === 'whatsapp' && status === 'expired';
  return {
    error_code: isWhatsAppTimeOut ? errorCode : (message.error_code ?? errorCode),
    error_message: message.error_message ?? errorMessage,
  };
}
