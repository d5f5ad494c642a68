/** The field `fallback` of a send: its schema, and the legs that are stored with the first message (contract 14.7). */
import * as z from 'zod/mini';
import { assertMaySend, type SendingPermissions } from '../../client/sending-permissions.ts';
import { type Channel, channels } from '../../contract/channels.ts';
import { senderSchema } from '../../contract/phone-number.ts';
import { faultAt, isGiven, optional } from '../../operation/fields.ts';
import { lazily } from '../../platform/expiring-cache.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { SelectSender } from '../../sender/select-sender.ts';
import type { Message, StoredLeg } from '../message.ts';
import { type TemplateContent, whatsAppParts } from '../whatsapp-content.ts';
import { maxMessageCharacters, smsText, validityMaxSeconds } from './send-fields.ts';

/** The most legs after the first message that a request can name. */
export const legIndexes = [0, 1] as const;
/** A receipt takes seconds: earlier, most next legs would start for nothing. */
export const afterSecondsMin = 10;

export function legFields(afterSecondsMax: number) {
  return {
    channel: z.enum(channels),
    after_seconds: optional(z.int().check(z.minimum(afterSecondsMin), z.maximum(afterSecondsMax))),
  };
}

/** Returns the schema of a list of legs. An empty list means the same as none. */
export function legsSchema<Leg extends z.ZodMiniType>(leg: Leg) {
  return optional(
    z.pipe(
      z.array(leg).check(z.maxLength(legIndexes.length)),
      z.transform((legs) => (legs.length === 0 ? undefined : legs)),
    ),
  );
}

/** Returns the schema of `fallback` for a message with content. A leg uses the content of the request, or its own. */
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
      faultAt(['message'], 'Give either message or template.'),
    ),
    z.refine(
      ({ channel, from }) => channel !== 'whatsapp' || !isGiven(from),
      faultAt(['from'], 'Only an SMS names its sender.'),
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

/** Returns the legs to store with the first message, with the sender of each; nothing if `fallback` is absent. */
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
    ...withoutUndefined({ after_seconds, from }),
    ...select({ channel, country: first.country, from }),
    ...contentOf({ channel, ...wanted }, first),
  };
}

interface FirstMessage {
  readonly channel: Channel;
  readonly from?: string | undefined;
}

/** Returns the sender of a leg. An SMS after an SMS has the same sender, unless it names another. */
function senderOf({ channel, from }: WantedLeg, first: FirstMessage): string | undefined {
  if (channel !== 'sms') return undefined;
  return from ?? (first.channel === 'sms' ? first.from : undefined);
}

function contentOf({ channel, message, template }: WantedLeg, first: Message) {
  if (template !== undefined) return { whatsapp: { type: 'template', template } } as const;
  const text = message ?? first.text;
  if (channel === 'sms') return withoutUndefined({ text });
  if (message !== undefined || first.channel === 'sms')
    return { ...withoutUndefined({ text }), whatsapp: { type: 'text' } as const };
  const { whatsapp, fallback_template } = first;
  return withoutUndefined({ text, whatsapp, fallback_template });
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
  first: FirstMessage & { readonly recipient: string },
): void {
  for (const leg of wanted ?? []) {
    assertMaySend(permissions, leg.channel, first.recipient, senderOf(leg, first));
  }
}
