/**
 * What an event of AWS End User Messaging SMS says of a message, by its type. Carriers report some types both before the
 * end and at the end, so only an event marked final says that a message was delivered, failed or expired.
 */
import type { MessageErrorCode } from './message-error-codes.ts';

/** The meaning of an event type: no outcome yet, a state, or the error code of a message that failed or expired. */
type Meaning = 'underway' | 'sent' | 'delivered' | MessageErrorCode;

export const smsEventTypes: Readonly<Record<string, Meaning>> = {
  TEXT_QUEUED: 'underway',
  TEXT_PENDING: 'underway',
  TEXT_SENT: 'sent',
  TEXT_DELIVERED: 'delivered',
  TEXT_SUCCESSFUL: 'delivered',
  TEXT_INVALID: 'invalid_recipient',
  TEXT_INVALID_MESSAGE: 'content_rejected',
  TEXT_UNREACHABLE: 'unreachable',
  TEXT_CARRIER_UNREACHABLE: 'unreachable',
  TEXT_BLOCKED: 'carrier_blocked',
  TEXT_CARRIER_BLOCKED: 'carrier_blocked',
  TEXT_SPAM: 'content_rejected',
  TEXT_UNKNOWN: 'unknown',
  TEXT_TTL_EXPIRED: 'expired',
  TEXT_PROTECT_BLOCKED: 'country_not_supported',
};

/**
 * The types that AWS reports to the gateway. Each event costs a queue message, so those before the end are left out; the
 * response to the hand-over already says `sent`.
 */
export const reportedEventTypes = Object.keys(smsEventTypes).filter(
  (type) => !['underway', 'sent'].includes(smsEventTypes[type] ?? ''),
);
