/** The states of a message of the fake gateway: which may follow which, and the event of each (contract, section 6). */
import { ArgumentError } from '../errors.ts';
import type { Message } from '../generated/schema.ts';
import type { WebhookToSign } from './signed-webhook.ts';

export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'failed' | 'expired';

interface StateRule {
  readonly from: readonly string[];
  /** States that are filled in, where the message was not in them yet. */
  readonly implies: readonly string[];
}

const rules: Readonly<Record<ReportedStatus, StateRule>> = {
  sent: { from: ['scheduled', 'queued'], implies: [] },
  delivered: { from: ['scheduled', 'queued', 'sent', 'failed', 'expired'], implies: ['sent'] },
  read: {
    from: ['scheduled', 'queued', 'sent', 'delivered', 'failed', 'expired'],
    implies: ['sent', 'delivered'],
  },
  failed: { from: ['scheduled', 'queued', 'sent'], implies: [] },
  expired: { from: ['scheduled', 'queued', 'sent'], implies: [] },
};

/** The order of a history. */
const order = ['scheduled', 'queued', 'sent', 'failed', 'expired', 'delivered', 'read'];

/**
 * Returns the message in its new state. One that is scheduled counts as due.
 *
 * @throws ArgumentError for a state that the message cannot enter, or an error code of a state without one
 */
export function withStatus(message: Message, status: ReportedStatus, errorCode?: string): Message {
  const { message_id, channel } = message;
  const rule = Object.hasOwn(rules, status) ? rules[status] : undefined;
  if (!rule?.from.includes(message.status) || (channel === 'sms' && status === 'read'))
    throw new ArgumentError(`${message_id} (${channel}, ${message.status}) cannot be ${status}.`);
  const isUndelivered = status === 'failed' || status === 'expired';
  if (errorCode !== undefined && !isUndelivered)
    throw new ArgumentError(`A message that is ${status} has no error code.`);
  const at = new Date().toISOString();
  const entered = ['queued', ...rule.implies, status].filter((state) =>
    message.history.every((entry) => entry.status !== state),
  );
  const times = entered.filter((state) => ['sent', 'delivered', 'read'].includes(state));
  const code = errorCode ?? (status === 'expired' ? 'expired' : 'unknown');
  return {
    ...message,
    ...Object.fromEntries(times.map((state) => [`${state}_at`, at])),
    status,
    error: isUndelivered ? { code, message: `The message is ${status}: ${code}.` } : null,
    history: [...message.history, ...entered.map((state) => ({ status: state, at }))].sort(
      (one, other) => order.indexOf(one.status) - order.indexOf(other.status),
    ) as Message['history'],
  };
}

/** The event of the state that the message entered last. */
export function eventOf(message: Message): WebhookToSign {
  const { message_id, client_id, channel, status, recipient, from, reference, error } = message;
  const { sent_at, delivered_at, read_at } = message;
  const isWhatsappTimeout = channel === 'whatsapp' && status === 'expired';
  const fields = {
    ...{ message_id, client_id, recipient, from, status, reference, sent_at, delivered_at, read_at },
    error_code: isWhatsappTimeout ? 'expired' : error?.code,
    error_message: error?.message,
  };
  const data = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  // There is no event `whatsapp.expired`.
  return { event: `${channel}.${isWhatsappTimeout ? 'failed' : status}`, data: Object.fromEntries(data) };
}
