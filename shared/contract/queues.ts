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
  /** Records that the relay set aside and relays again. */
  | 'relay-dead-letter';
