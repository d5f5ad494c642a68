/** The request fields that all sends share (contract, section 5), including `fallback` and its legs (contract 14.7). */
import * as z from 'zod/mini';
import { assertMaySend, type SendingPermissions } from '../../client/sending-permissions.ts';
import { type Channel, channels } from '../../contract/channels.ts';
import { type FieldError, GatewayError, invalidFields } from '../../contract/errors.ts';
import { senderSchema } from '../../contract/phone-number.ts';
import { dateTime, faultAt, isGiven, optional, withDefault } from '../../operation/fields.ts';
import { type ApiRequest, parseBody } from '../../operation/operation.ts';
import { addDays, addSeconds, inWords, secondsPerDay } from '../../platform/clock.ts';
import { lazily } from '../../platform/expiring-cache.ts';
import type { SelectSender } from '../../sender/select-sender.ts';
import { type Message, messageTypes, type StoredLeg } from '../message.ts';
import { maxMessageCharacters } from '../message-text.ts';
import { type TemplateContent, whatsAppParts } from '../whatsapp-content.ts';

/**
 * Returns the schema of a text with 1 to `max` characters. Unicode code points are counted, so an emoji can count as one.
 */
export function textOf(max: number) {
  return z.string().check(
    z.minLength(1, 'must not be empty'),
    z.refine((text) => text.length <= max || [...text].length <= max, `must have at most ${max} characters`),
    z.refine((text) => text.isWellFormed(), 'must be well-formed Unicode'),
    z.meta({ maxLength: max }),
  );
}

/**
 * The white space of Java, Python and JavaScript: `\s` differs between them in a few characters, and clients use this
 * pattern too.
 */
const visiblePattern = String.raw`[^\t-\r\x1C-\x20\x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]`;
const visible = new RegExp(visiblePattern);

/** Returns the schema of a message's text, which must not be blank, because carriers refuse blank texts. */
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

/** Returns the time at which the message expires, counted from the time at which it may be sent. */
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

/** A time. `parseSend` checks how far ahead it is. */
export const scheduledAt = dateTime;

/**
 * Parses the request of a send.
 *
 * @returns the fields, and `assertTimely`, which refuses a `scheduled_at` outside `scheduledAhead`. It is called only for a
 * new request, because a repeat gets the first response even after that time.
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

/** The indexes of the legs that a request can add in `fallback`. */
export const legIndexes = [0, 1] as const;
/** A receipt takes seconds, so a shorter time would start most next legs unnecessarily. */
export const afterSecondsMin = 10;

export function legFields(afterSecondsMax: number) {
  return {
    channel: z.enum(channels),
    after_seconds: optional(z.int().check(z.minimum(afterSecondsMin), z.maximum(afterSecondsMax))),
  };
}

/** Returns the schema of a list of legs. An empty list means the same as an absent one. */
export function legsSchema<Leg extends z.ZodMiniType>(leg: Leg) {
  return optional(
    z.pipe(
      z.array(leg).check(z.maxLength(legIndexes.length)),
      z.transform((legs) => (legs.length === 0 ? undefined : legs)),
    ),
  );
}

/** Returns the schema of `fallback`. A leg uses the content of the request, or its own. */
export function fallbackSchema() {
  return legsSchema(z.lazy(legWithContent));
}

const legWithContent = lazily(() => {
  const leg = z.object({
    ...legFields(validityMaxSeconds),
    message: optional(smsText),
    template: optional(whatsAppParts().template),
    from: optional(senderSchema),
  });
  return leg.check(
    z.refine(
      ({ channel, template: given }) => channel !== 'sms' || !isGiven(given),
      faultAt(['template'], 'Only a WhatsApp message has a template.'),
    ),
    z.refine(
      ({ message, template: given }) => !isGiven(message) || !isGiven(given),
      faultAt(['message'], 'Give either message or template, not both.'),
    ),
    z.refine(
      ({ channel, from }) => channel !== 'whatsapp' || !isGiven(from),
      faultAt(['from'], 'Only an SMS leg can have `from`.'),
    ),
  );
});

export interface WantedLeg {
  readonly channel: Channel;
  readonly after_seconds?: number | undefined;
  readonly message?: string | undefined;
  readonly template?: TemplateContent | undefined;
  readonly from?: string | undefined;
}

/** True if the text of a WhatsApp message can also be sent as an SMS. */
export function fitsSms(text: unknown): boolean {
  return typeof text === 'string' && [...text].length <= maxMessageCharacters;
}

/** Returns the legs to store with the first message, each with its sender; no fields if `fallback` is absent. */
export function legsToStore(wanted: readonly WantedLeg[] | undefined, first: Message, select: SelectSender) {
  if (wanted === undefined) return {};
  return { fallback: wanted.map((leg) => legToStore(leg, first, select)) };
}

function legToStore(
  { channel, after_seconds, ...wanted }: WantedLeg,
  first: Message,
  select: SelectSender,
): StoredLeg {
  const from = senderOf({ channel, ...wanted }, first);
  return {
    channel,
    after_seconds,
    from,
    ...select({ channel, country: first.country, from }),
    ...contentOf({ channel, ...wanted }, first),
  };
}

/** Returns the sender of a leg. An SMS leg after an SMS has the same sender, unless the leg names another. */
function senderOf(
  { channel, from }: WantedLeg,
  first: {
    readonly channel: Channel;
    readonly from?: string | undefined;
  },
): string | undefined {
  if (channel !== 'sms') return undefined;
  return from ?? (first.channel === 'sms' ? first.from : undefined);
}

function contentOf({ channel, message, template }: WantedLeg, first: Message) {
  if (template !== undefined) return { whatsapp: { type: 'template', template } } as const;
  const text = message ?? first.text;
  if (channel === 'sms') return { text };
  if (message !== undefined || first.channel === 'sms') return { text, whatsapp: { type: 'text' } as const };
  const { whatsapp, fallback_template } = first;
  return { text, whatsapp, fallback_template };
}

export function channelsOf({
  channel,
  fallback = [],
}: {
  readonly channel: Channel;
  readonly fallback?: readonly WantedLeg[] | undefined;
}): readonly Channel[] {
  return [channel, ...fallback.map((leg) => leg.channel)];
}

/** @throws GatewayError `forbidden` if the client may not send one of the legs. */
export function assertMaySendLegs(
  permissions: SendingPermissions,
  wanted: readonly WantedLeg[] | undefined,
  first: {
    readonly channel: Channel;
    readonly from?: string | undefined;
  } & { readonly recipient: string },
): void {
  for (const leg of wanted ?? []) {
    assertMaySend(permissions, leg.channel, first.recipient, senderOf(leg, first));
  }
}
