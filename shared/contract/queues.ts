/**
 * The names of the queues, which `uses.ts` and the construct use. The declarations of the packaged construct contain this
 * file. It therefore imports nothing that a user of the package may not have installed.
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
