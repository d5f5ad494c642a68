/**
 * The names of the queues, for `uses.ts` and the construct. The packaged construct's type declarations include this file,
 * so it imports nothing that users of the package may not have installed.
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
