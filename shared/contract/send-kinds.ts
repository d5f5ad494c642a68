/**
 * The kinds of sends, in their order of priority (contract, section 14). Each has an outbound queue with a concurrency of
 * its own, so none waits behind another.
 */
export const sendKinds = ['otp', 'single', 'bulk'] as const;

export type SendKind = (typeof sendKinds)[number];
