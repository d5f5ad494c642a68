/** Sends one WhatsApp message: text, template, media or location. */
import * as z from 'zod/mini';
import { personSchema } from '../../contract/phone-number.ts';
import { isWhatsAppUserId } from '../../contract/recipient-forms.ts';
import { faultAt, isGiven, optional, withDefault } from '../../operation/fields.ts';
import { type Operation, requiredField } from '../../operation/operation.ts';
import type { Message } from '../message.ts';
import {
  type LocationContent,
  type MediaSource,
  mediaFields,
  noCaption,
  noFilename,
  type TemplateContent,
  type WhatsAppContent,
  whatsAppParts,
} from '../whatsapp-content.ts';
import {
  endOfValidity,
  fallbackSchema,
  fitsSms,
  legIndexes,
  legsToStore,
  messageTextOf,
  referenceText,
  scheduledAt,
  validityPeriod,
} from './send-fields.ts';
import { type MessageOrigin, newMessage, type SendContext, sendOne } from './send-one.ts';

const maxTextCharacters = 4096;

const contentField = {
  text: 'message',
  template: 'template',
  image: 'media',
  video: 'media',
  audio: 'media',
  document: 'media',
  sticker: 'media',
  location: 'location',
} as const;
const types = Object.keys(contentField) as (keyof typeof contentField)[];

/**
 * Returns the schema of the body of `POST /api/v1/whatsapp/send` (contract, section 5): one object, in which `type`
 * names the content.
 */
export function sendWhatsAppSchema(webhookUrl: z.ZodMiniType<string>) {
  const { template, media, location } = whatsAppParts();
  const fields = z.object({
    to: personSchema,
    type: withDefault(z.enum(types), 'text'),
    message: optional(messageTextOf(maxTextCharacters)),
    template: optional(template),
    media: optional(media),
    location: optional(location),
    fallback_template: optional(template),
    webhook_url: optional(webhookUrl),
    reference: optional(referenceText),
    validity_period: validityPeriod,
    scheduled_at: optional(scheduledAt),
    smart_encoding: optional(z.boolean()),
    fallback: fallbackSchema(),
  });
  const contentFields = [...new Set(Object.values(contentField))];
  return z.pipe(
    fields.check(
      ...contentFields.map((field) =>
        z.refine<Fields>(
          (request) => neededBy(request.type) !== field || isGiven(request[field]),
          faultAt([field], requiredField),
        ),
      ),
      z.refine<Fields>(
        ({ type, media }) => mayHave(type, 'caption', media),
        faultAt(['media', 'caption'], noCaption),
      ),
      z.refine<Fields>(
        ({ type, media }) => mayHave(type, 'filename', media),
        faultAt(['media', 'filename'], noFilename),
      ),
      ...legIndexes.map((leg) =>
        z.refine<Fields>(
          (request) => hasSmsText(request, leg),
          faultAt(
            ['fallback', leg, 'message'],
            'is required, because the message has no text that fits an SMS',
          ),
        ),
      ),
      ...legIndexes.map((leg) =>
        z.refine<Fields>(
          ({ to, fallback }) => !isUser(to) || smsLegOf(fallback, leg) === undefined,
          faultAt(['fallback', leg, 'channel'], smsNeedsNumber),
        ),
      ),
    ),
    z.transform(withOwnContent),
  );
  type Fields = z.output<typeof fields>;
}

/** @param type - an unchecked value, because the request may have other errors */
function neededBy(type: unknown): string | undefined {
  const known = types.find((each) => each === type);
  return known === undefined ? undefined : contentField[known];
}

function mayHave(type: unknown, field: 'caption' | 'filename', media: unknown): boolean {
  if (!isMedia(type) || typeof media !== 'object' || media === null) return true;
  return mediaFields[type][field] || !isGiven(Reflect.get(media, field));
}

/** @param to - a value of any form, because the request may have other faults */
function isUser(to: unknown): boolean {
  return typeof to === 'string' && isWhatsAppUserId(to);
}

const smsNeedsNumber = 'must be whatsapp: an SMS needs a phone number, and "to" is the id of a WhatsApp user';

/**
 * Returns this leg if it is an SMS.
 *
 * @param fallback - a value of any form, because the request may have other faults
 */
function smsLegOf(fallback: unknown, leg: number): object | undefined {
  const wanted: unknown = Array.isArray(fallback) ? fallback[leg] : undefined;
  if (typeof wanted !== 'object' || wanted === null) return undefined;
  return Reflect.get(wanted, 'channel') === 'sms' ? wanted : undefined;
}

/** True if an SMS leg after the WhatsApp message has a text: its own, or that of the WhatsApp message. */
function hasSmsText(
  {
    type,
    message,
    fallback,
  }: { readonly type?: unknown; readonly message?: unknown; readonly fallback?: unknown },
  leg: number,
): boolean {
  const wanted = smsLegOf(fallback, leg);
  if (wanted === undefined) return true;
  if (isGiven(Reflect.get(wanted, 'message')) || neededBy(type) === undefined) return true;
  // A missing text is reported separately.
  return neededBy(type) === 'message' && (!isGiven(message) || fitsSms(message));
}

function isMedia(type: unknown): type is keyof typeof mediaFields {
  return typeof type === 'string' && Object.hasOwn(mediaFields, type);
}

interface ContentFields {
  readonly type: keyof typeof contentField;
  readonly message?: string | undefined;
  readonly template?: TemplateContent | undefined;
  readonly media?: MediaSource | undefined;
  readonly location?: LocationContent | undefined;
}

/** Removes content for other types, which is validated but not used. */
function withOwnContent<Fields extends ContentFields>(request: Fields) {
  const { message, template, media, location, type, ...common } = request;
  return { ...common, ...contentOf({ type, message, template, media, location }) };
}

function contentOf({
  type,
  message,
  template,
  media,
  location,
}: ContentFields):
  | { readonly type: 'text'; readonly message: string }
  | { readonly type: 'template'; readonly template: TemplateContent }
  | { readonly type: 'location'; readonly location: LocationContent }
  | { readonly type: keyof typeof mediaFields; readonly media: MediaSource } {
  switch (type) {
    case 'text':
      return { type, message: checked(message) };
    case 'template':
      return { type, template: checked(template) };
    case 'location':
      return { type, location: checked(location) };
    default:
      return { type, media: checked(media) };
  }
}

/** Returns a value whose presence the schema guarantees. */
function checked<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a request without its content passed the schema');
  return value;
}

/** @param webhookUrl - accepts URLs that this deployment may call */
export function sendWhatsApp(context: SendContext, webhookUrl: z.ZodMiniType<string>): Operation {
  const schema = sendWhatsAppSchema(webhookUrl);
  return sendOne(context, { channel: 'whatsapp', schema, newMessage: newWhatsApp });
}

function newWhatsApp(
  origin: MessageOrigin,
  request: z.output<ReturnType<typeof sendWhatsAppSchema>>,
  now: Date,
): Message {
  const message: Message = {
    ...newMessage(
      { ...origin, channel: 'whatsapp', recipient: request.to, expiresAt: endOfValidity(request, now) },
      request,
      now,
    ),
    type: 'transactional',
    ...(request.type === 'text' ? { text: request.message } : {}),
    whatsapp: storedContent(request),
    ...(request.fallback_template === undefined || request.type === 'template'
      ? {}
      : { fallback_template: request.fallback_template }),
  };
  return { ...message, ...legsToStore(request.fallback, message, origin.select) };
}

function storedContent(request: z.output<ReturnType<typeof sendWhatsAppSchema>>): WhatsAppContent {
  switch (request.type) {
    case 'text':
      return { type: 'text' };
    case 'template':
      return { type: 'template', template: request.template };
    case 'location':
      return { type: 'location', location: request.location };
    default:
      return { type: request.type, media: request.media };
  }
}
