/** The request fields that the sends share, each rule of the contract's section 5 once. */
import * as z from 'zod';
import { addSeconds, type Clock } from '../clock.ts';

const maxMessageCharacters = 1600;
const minute = 60;
const day = 86_400;

/** An absent field and null mean the same: clients that serialise their own types send null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Text of 1 to `max` characters (Unicode code points, so that an emoji is one). */
export function textOf(max: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine((text) => text.length <= max || [...text].length <= max, `must be at most ${max} characters`)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
}

export const smsText = textOf(maxMessageCharacters);

export const messageType = z.enum(['transactional', 'promotional']);

/** Seconds: 5 to 3 days. */
export const validityPeriod = z
  .int()
  .min(5)
  .max(3 * day);
export const defaultValiditySeconds = 3 * day;

export const referenceText = textOf(128);

/** A moment from 1 minute to 180 days ahead. */
export function scheduledAt(clock: Clock) {
  return z.iso
    .datetime({ offset: true, error: 'must be a date-time such as 2026-11-20T10:00:00Z' })
    .transform((text) => new Date(text))
    .refine((at) => {
      const now = clock();
      return at >= addSeconds(now, minute) && at <= addSeconds(now, 180 * day);
    }, 'must be from 1 minute to 180 days ahead');
}
