/**
 * The queues, by the names that `uses.ts` and the construct have for them. The declarations of the packaged construct have this
 * file, so it imports nothing that a user of the package may not have.
 */
export type QueueName =
  /** One-time passwords to hand over to a carrier. */
  | 'otp-outbound'
  /** Single messages to hand over. */
  | 'outbound'
  /** Messages of bulks to hand over. */
  | 'bulk-outbound'
  /** What carriers report, and messages from people. */
  | 'receipts'
  /** Webhooks to healthy endpoints. */
  | 'webhooks'
  /** Webhooks to slow endpoints. */
  | 'slow-webhooks'
  /** What the relay set aside, for people. */
  | 'relay-dead-letter'
  /** The positions of stream records that failed until their last retry. */
  | 'lost-records';
