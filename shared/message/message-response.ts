import { modeField } from '../contract/mode.ts';
import { recipientTypeOf } from '../contract/recipient-forms.ts';
import { fromOf, shownAttempt } from './attempt.ts';
import { historyOf, type Message, type Status } from './message.ts';
import type { MessageStatus } from './message-response.schema.ts';

export function statusView(message: Message): MessageStatus {
  return {
    message_id: message.message_id,
    client_id: message.client_id,
    ...modeField(message.client_id),
    channel: message.channel,
    status: message.status,
    ...partiesOf(message),
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
    delivered_by: message.delivered_by,
    ...attemptsPart(message),
    fallback_of: message.fallback_of,
    ...receivedPart(message),
  };
}

/** In these states, a carrier has certainly accepted the attempt that responses show. */
const proofs: readonly Status[] = ['sent', 'delivered', 'read'];

function attemptsPart(message: Message) {
  const { attempts, possible_duplicate, status } = message;
  const shown = shownAttempt(message);
  if (attempts === undefined || shown === undefined) return {};
  const isTaken = proofs.includes(status);
  return {
    carrier: shown.carrier,
    attempts: attempts.map(({ number, carrier, at, outcome = 'unknown' }) => ({
      carrier,
      at,
      outcome: isTaken && number === shown.number ? ('accepted' as const) : outcome,
    })),
    possible_duplicate,
  };
}

/** Returns the sender and the recipient. The recipient of an inbound message is our number. */
function partiesOf(message: Message) {
  const { direction, recipient, from } = message;
  return direction === 'inbound'
    ? { recipient: from ?? '', from: recipient, from_type: recipientTypeOf(recipient) }
    : { recipient, recipient_type: recipientTypeOf(recipient), from: fromOf(message) ?? null };
}

function receivedPart({ direction, text, received_content, received_at, in_reply_to }: Message) {
  if (direction === undefined) return {};
  return { direction, text, whatsapp: received_content, received_at, in_reply_to };
}
