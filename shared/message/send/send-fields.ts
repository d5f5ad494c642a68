/** The request fields that all sends share (contract, section 5). */
import * as z from 'zod/mini';
import { type FieldError, GatewayError, invalidFields } from '../../contract/errors.ts';
import { dateTime, withDefault } from '../../operation/fields.ts';
import { type ApiRequest, parseBody } from '../../operation/operation.ts';
import { addDays, addSeconds, inWords, secondsPerDay } from '../../platform/clock.ts';
import { messageTypes } from '../message.ts';

export const maxMessageCharacters = 1600;

/** Returns the schema of a text of 1 to `max` characters (Unicode code points, so that an emoji is one). */
export function textOf(max: number) {
  return z.string().check(
    z.minLength(1, 'must not be empty'),
    z.refine((text) => text.length <= max || [...text].length <= max, `must have at most ${max} characters`),
    z.refine((text) => text.isWellFormed(), 'must be well-formed Unicode'),
    z.meta({ maxLength: max }),
  );
}

/** No white space of Java, Python or JavaScript: `\s` differs in a few characters, and clients apply this pattern too. */
export const visiblePattern = String.raw`[^\t-\r\x1C-\x20\x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]`;
const visible = new RegExp(visiblePattern);

/** Returns the schema of a message's text, which must not be blank: carriers refuse that. */
export function messageTextOf(max: number) {
  return textOf(max).check(
    z.refine((text) => visible.test(text), 'must not be blank'),
    z.meta({ pattern: visiblePattern }),
  );
}

export const smsText = messageTextOf(maxMessageCharacters);

export const messageType = withDefault(z.enum(messageTypes), 'transactional');

export const validityMaxSeconds = 3 * secondsPerDay;

export const validityPeriod = withDefault(
  z.int().check(z.minimum(5), z.maximum(validityMaxSeconds)),
  validityMaxSeconds,
);

/** Returns when the message expires, counted from the time at which it may be sent. */
export function endOfValidity(
  send: { readonly scheduled_at?: Date | undefined; readonly validity_period: number },
  now: Date,
): Date {
  return addSeconds(send.scheduled_at ?? now, send.validity_period);
}

export const referenceCharactersMax = 128;
export const referenceText = textOf(referenceCharactersMax);

/** How far ahead a message can be scheduled. */
export const scheduledAhead = { secondsMin: 60, daysMax: 180 } as const;

/** A time; `parseSend` checks how far ahead it is. */
export const scheduledAt = dateTime;

/**
 * Parses the request of a send.
 *
 * @returns the fields, and `assertTimely`, which refuses a `scheduled_at` that is nearer or farther than `scheduledAhead`.
 *   It is called only for a new request, because a repeat gets the first response, also when that time has passed.
 * @throws GatewayError `invalid_request` with all faulty fields, including `scheduled_at`.
 */
export function parseSend<Schema extends z.ZodMiniType<{ scheduled_at?: Date | undefined }>>(
  schema: Schema,
  request: ApiRequest,
) {
  const timing = timingFault(request.body, request.now);
  try {
    const data = parseBody(schema, request);
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
  const { secondsMin, daysMax } = scheduledAhead;
  if (parsed.data >= addSeconds(now, secondsMin) && parsed.data <= addDays(now, daysMax)) return undefined;
  return {
    field: 'scheduled_at',
    message: `must be from ${inWords([secondsMin])} to ${daysMax} days ahead`,
  };
}
