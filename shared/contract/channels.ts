/** The channels of messages, the kinds of sends, and the carriers of each channel. */
import * as z from 'zod/mini';

export const channels = ['sms', 'whatsapp'] as const;

export type Channel = (typeof channels)[number];

export const channelNames: Readonly<Record<Channel, string>> = { sms: 'SMS', whatsapp: 'WhatsApp' };

/**
 * The kinds of sends, in order of priority (contract 14.1). Each kind has its own outbound queue and concurrency, so it
 * does not wait for other kinds.
 */
export const sendKinds = ['otp', 'single', 'bulk'] as const;

export type SendKind = (typeof sendKinds)[number];

const off = 'off';

/** The carriers of a channel, as in a setting: names in order of preference, separated by commas, or `off`. */
export const carrierList = z
  .string()
  .check(
    z.regex(/^[a-z]+(,[a-z]+)*$/, 'off, or names of carriers in order of preference, such as twilio,aws'),
  );

export function carriersIn(list: string): readonly string[] {
  return list === off ? [] : list.split(',');
}

export function stageCarriersOf({
  SMS_CARRIER: sms,
  WHATSAPP_CARRIER: whatsapp,
}: {
  readonly SMS_CARRIER: string;
  readonly WHATSAPP_CARRIER: string;
}): Readonly<Record<Channel, readonly string[]>> {
  return { sms: carriersIn(sms), whatsapp: carriersIn(whatsapp) };
}
