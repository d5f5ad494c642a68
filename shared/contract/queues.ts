/**
 * The queues, by the names that `uses.ts` and the construct have for them. The declarations of the packaged construct have this
 * file, so it imports nothing that a user of the package may not have.
 */
export type QueueName =
  | 'otp-outbound'
  | 'outbound'
  | 'bulk-outbound'
  /** Reports of carriers, and inbound messages. */
  | 'receipts'
  /** First attempts of webhooks. */
  | 'webhooks'
  | 'webhook-retries'
  /** Work that the relay set aside for an operator. */
  | 'relay-dead-letter'
  /** The positions of stream records that failed until their last retry. */
  | 'lost-records';
