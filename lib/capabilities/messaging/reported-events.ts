/**
 * The events of an SMS that AWS reports to the gateway: the final outcomes of a message. Each event costs a queue
 * message, so the intermediate ones (`TEXT_QUEUED`, `TEXT_PENDING`, `TEXT_SENT`) are left out; the response to the
 * hand-over already says `sent`.
 */
export const reportedEvents = [
  'TEXT_DELIVERED',
  'TEXT_SUCCESSFUL',
  'TEXT_INVALID',
  'TEXT_INVALID_MESSAGE',
  'TEXT_UNREACHABLE',
  'TEXT_CARRIER_UNREACHABLE',
  'TEXT_BLOCKED',
  'TEXT_CARRIER_BLOCKED',
  'TEXT_SPAM',
  'TEXT_UNKNOWN',
  'TEXT_TTL_EXPIRED',
  'TEXT_PROTECT_BLOCKED',
];
