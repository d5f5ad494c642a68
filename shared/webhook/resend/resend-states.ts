/** What a request to resend many webhooks may choose, and how far it is. */

/** `matching` counts what will be resent, `sending` resends it. */
export const resendStatuses = ['matching', 'sending', 'completed'] as const;
export type ResendStatus = (typeof resendStatuses)[number];

export const resendableStates = ['failed', 'acknowledged'] as const;
export type ResendableState = (typeof resendableStates)[number];
