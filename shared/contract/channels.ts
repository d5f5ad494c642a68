/** The channels of messages. */
export const channels = ['sms', 'whatsapp'] as const;

export type Channel = (typeof channels)[number];

/** The channels as sentences name them. */
export const channelNames: Readonly<Record<Channel, string>> = { sms: 'SMS', whatsapp: 'WhatsApp' };

/**
 * The kinds of sends, in their order of priority (contract 14.1). Each has an outbound queue with a concurrency of
 * its own, so none waits behind another.
 */
export const sendKinds = ['otp', 'single', 'bulk'] as const;

export type SendKind = (typeof sendKinds)[number];
