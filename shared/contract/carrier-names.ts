/** The carriers of a channel as a setting has them: their names in order of preference, separated by commas, or `off`. */
import * as z from 'zod/mini';

const off = 'off';

export const carrierList = z
  .string()
  .check(z.regex(/^[a-z]+(,[a-z]+)*$/, 'off, or names of carriers in order of preference, as twilio,aws'));

export function carriersIn(list: string): readonly string[] {
  return list === off ? [] : list.split(',');
}
