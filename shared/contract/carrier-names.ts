/** The carriers of a channel as a setting has them: their names in order of preference, separated by commas, or `off`. */
import * as z from 'zod/mini';
import type { Channel } from './channels.ts';

const off = 'off';

export const carrierList = z
  .string()
  .check(z.regex(/^[a-z]+(,[a-z]+)*$/, 'off, or names of carriers in order of preference, as twilio,aws'));

export function carriersIn(list: string): readonly string[] {
  return list === off ? [] : list.split(',');
}

export type StageCarriers = Readonly<Record<Channel, readonly string[]>>;

/** The carriers of each channel, from the variables of a function. */
export function stageCarriersOf({
  SMS_CARRIER: sms,
  WHATSAPP_CARRIER: whatsapp,
}: {
  readonly SMS_CARRIER: string;
  readonly WHATSAPP_CARRIER: string;
}): StageCarriers {
  return { sms: carriersIn(sms), whatsapp: carriersIn(whatsapp) };
}
