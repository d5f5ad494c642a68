/**
 * Maps each event type of AWS End User Messaging SMS to a status. Some types are reported both before and at the end, so
 * only an event that is marked as final proves the outcome.
 */
import type { MessageErrorCode } from './message-error-codes.ts';

/** Each event type stands for a state, or for the error code of a message that failed or expired. */
export const smsEventTypes: Readonly<Record<string, 'sent' | 'delivered' | 'read' | MessageErrorCode>> = {
  // AWS has the message. This matters only if the response to the hand-over was lost.
  TEXT_QUEUED: 'sent',
  TEXT_PENDING: 'sent',
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
  // A pool with an RCS agent uses RCS if possible. Otherwise, events of the text message follow.
  RCS_QUEUED: 'sent',
  RCS_SENT: 'sent',
  RCS_FALLEN_BACK_TO_SMS: 'sent',
  RCS_DELIVERED: 'delivered',
  RCS_READ: 'read',
  RCS_FAILED: 'unknown',
  RCS_TTL_EXPIRED: 'expired',
  RCS_PROTECT_BLOCKED: 'country_not_supported',
};

/** Event types of messages that the gateway does not send, and names for all types of a kind. */
export const ignoredEventTypes = /^(VOICE|MEDIA)_|^(RCS_|TEXT_)?ALL$/;

export const reportedEventTypes = Object.keys(smsEventTypes);
