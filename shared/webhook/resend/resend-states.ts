/** What a request to resend many webhooks may choose, and how far it is. */

/** `matching` counts what will be resent, `sending` resends it. */
export const resendStatuses = ['matching', 'sending', 'completed'] as const;

export const resendableStates = ['failed', 'acknowledged'] as const;
