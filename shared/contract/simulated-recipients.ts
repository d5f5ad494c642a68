/**
 * What the documents say of the simulator's recipients: `/docs/testing` and the table in `docs/local.md` are made of it. What
 * happens is in `shared/carrier/simulator/simulated-receipts.ts`.
 */
export const simulatedRecipients = {
  '+15005550001': 'refuses at hand-over: failed',
  '+15005550002': 'sent, then undeliverable: failed',
  '+15005550003': 'sent, then the carrier reports a time-out: expired',
  '+15005550004': 'sent, no receipt ever: expires at the end of its validity',
  '+15005550005': 'WhatsApp: delivered, then read',
  '+15005550006': 'throttles twice, then accepts it',
  '+15005550007': 'every receipt twice, and delivered before sent',
  '+15005550008': 'delivered; answers with “STOP”',
  '+15005550009': 'delivered; answers with the text that it got',
} as const;

export type SimulatedRecipient = keyof typeof simulatedRecipients;
