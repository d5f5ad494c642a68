/** The channels of messages. */
export const channels = ['sms', 'whatsapp'] as const;

export type Channel = (typeof channels)[number];
