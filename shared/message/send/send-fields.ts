/** The request fields that the sends share, each rule of the contract's section 5 once. */
import * as z from 'zod/mini';
import { type FieldError, GatewayError } from '../../contract/errors.ts';
import { parseBody } from '../../operation/operation.ts';
import { addDays, addSeconds, secondsPerDay } from '../../platform/clock.ts';
import { withDefault } from '../optional-field.ts';

export const maxMessageCharacters = 1600;

/** Text of 1 to `max` characters (Unicode code points, so that an emoji is one). */
export function textOf(max: number) {
  return z.string().check(
    z.minLength(1, 'must not be empty'),
    z.refine((text) => text.length <= max || [...text].length <= max, `must be at most ${max} characters`),
    z.refine((text) => text.isWellFormed(), 'must be well-formed Unicode'),
    z.meta({ maxLength: max }),
  );
}

/** What a carrier may take for white space: Java, Python and JavaScript differ in a few characters. */
const whiteSpace = String.raw`\s\u001c-\u001f\u0085`;
const visible = new RegExp(`[^${whiteSpace}]`);

/** Text of a message: the carriers refuse one that is blank. */
export function messageTextOf(max: number) {
  return textOf(max).check(
    z.refine((text) => visible.test(text), 'must not be blank'),
    z.meta({ pattern: '\\S' }),
  );
}

export const smsText = messageTextOf(maxMessageCharacters);

export const messageType = withDefault(z.enum(['transactional', 'promotional']), 'transactional');

const validityMaxSeconds = 3 * secondsPerDay;

/** Seconds: 5 to 3 days, which is the default. */
export const validityPeriod = withDefault(
  z.int().check(z.minimum(5), z.maximum(validityMaxSeconds)),
  validityMaxSeconds,
);

/** When a message that is still unconfirmed expires: counted from the moment it may be sent. */
export function endOfValidity(
  send: { readonly scheduled_at?: Date | undefined; readonly validity_period: number },
  now: Date,
): Date {
  return addSeconds(send.scheduled_at ?? now, send.validity_period);
}

export const referenceText = textOf(128);

/** A moment; how far ahead it may be is for `parseSend` to say. */
export const scheduledAt = z.pipe(
  z.iso.datetime({ offset: true, error: 'must be a date-time such as 2026-11-20T10:00:00Z' }),
  z.transform((text) => new Date(text)),
);

interface ParsedSend<Output> {
  readonly data: Output;
  /**
   * Refuses a time to send at that is not from 1 minute to 180 days ahead. To be called only for a new request:
   * the repeat of one that was in time gets its answer, however late it comes.
   */
  readonly assertTimely: () => void;
}

/**
 * The request of a send.
 *
 * @throws GatewayError `invalid_request` with all faulty fields, the time to send at among them.
 */
export function parseSend<Schema extends z.ZodMiniType<{ scheduled_at?: Date | undefined }>>(
  schema: Schema,
  body: unknown,
  now: Date,
): ParsedSend<z.output<Schema>> {
  const timing = timingFault(body, now);
  try {
    const data = parseBody(schema, body);
    const assertTimely = (): void => {
      if (timing !== undefined) throw invalidFields([timing]);
    };
    return { data, assertTimely };
  } catch (error) {
    if (!(error instanceof GatewayError) || timing === undefined) throw error;
    throw invalidFields([...error.details, timing]);
  }
}

function timingFault(body: unknown, now: Date): FieldError | undefined {
  if (body === null || typeof body !== 'object' || !('scheduled_at' in body)) return undefined;
  const parsed = scheduledAt.safeParse(body.scheduled_at);
  if (!parsed.success) return undefined;
  if (parsed.data >= addSeconds(now, 60) && parsed.data <= addDays(now, 180)) return undefined;
  return { field: 'scheduled_at', message: 'must be from 1 minute to 180 days ahead' };
}

function invalidFields(details: readonly FieldError[]): GatewayError {
  return new GatewayError('invalid_request', 'Some fields are not valid.', { details });
}
