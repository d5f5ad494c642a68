/**
 * The content of a WhatsApp message in a request, in a row (contract, section 5), and as received (contract, section 13).
 */
import * as z from 'zod/mini';
import type { Channel } from '../contract/channels.ts';
import { optional } from '../operation/fields.ts';
import { lazily } from '../platform/expiring-cache.ts';

const buttonsMax = 10;
/** The maximum number of values for a template. */
const maxParameters = 64;
/** The maximum number of characters of a template value or a caption. */
const parameterCharactersMax = 1024;
const parameterNameCharactersMax = 64;
/** Meta refuses values with more consecutive spaces, line breaks or tabs (error 132018). */
export const parameterSpacesMax = 4;
/** Well below the maximum size of a row; WhatsApp accepts even less. */
const maxTemplateBytes = 64 * 1024;

/**
 * The content that a row may contain, which is everything that any release accepted. For a text, only the type is stored
 * here, because the message stores its `text`.
 */
export const storedWhatsAppContent = lazily(makeStoredContent);

/** The optional template in a row, beside its content. */
export const storedTemplate = lazily(() => makeParts('row').template);

/** The parts of the content in a request. */
export const whatsAppParts = lazily(() => makeParts('request'));

/** The fields that media of each type can have besides the source. */
export const mediaFields = {
  image: { caption: true, filename: false },
  video: { caption: true, filename: false },
  audio: { caption: false, filename: false },
  document: { caption: true, filename: true },
  sticker: { caption: false, filename: false },
} as const;

export const noFilename = 'Only a document has a filename.';
export const noCaption = 'Audio and stickers have no caption.';

function makeStoredContent() {
  const { template, media, captioned, bare, location } = makeParts('row');
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('template'), template }),
    z.object({ type: z.literal('image'), media: captioned }),
    z.object({ type: z.literal('video'), media: captioned }),
    z.object({ type: z.literal('audio'), media: bare }),
    z.object({ type: z.literal('document'), media }),
    z.object({ type: z.literal('sticker'), media: bare }),
    z.object({ type: z.literal('location'), location }),
  ]);
}

function makeParts(origin: 'request' | 'row') {
  const shortText = z.string().check(z.minLength(1), z.maxLength(parameterCharactersMax));
  const httpUrl = z.url({ protocol: /^https?$/ }).check(z.maxLength(2048));

  const mediaSource = z
    .object({
      url: optional(httpUrl),
      id: optional(z.string().check(z.minLength(1), z.maxLength(256))),
      caption: optional(shortText),
      filename: optional(z.string().check(z.minLength(1), z.maxLength(240))),
    })
    .check(
      z.refine((media) => (media.url === undefined) !== (media.id === undefined), {
        message: 'Give either url or id.',
        path: ['url'],
      }),
    );

  const unfitForPlaceholder = new RegExp(`[\\n\\r\\t]| {${parameterSpacesMax + 1}}`);
  const fitsPlaceholder = (text: string) => origin === 'row' || !unfitForPlaceholder.test(text);
  const unfit = `must not contain a line break, a tab or more than ${parameterSpacesMax} spaces in a row`;
  const parameterText = shortText.check(z.refine(fitsPlaceholder, unfit));
  const parameterName = z.string().check(z.minLength(1), z.maxLength(parameterNameCharactersMax));

  /** Positional values in order, or named values. */
  const textParameters = z.union([
    z.array(parameterText).check(z.maxLength(maxParameters)),
    z
      .record(parameterName, parameterText)
      .check(
        z.refine(
          (named) => Object.keys(named).length <= maxParameters,
          `must have at most ${maxParameters} parameters`,
        ),
      ),
  ]);

  const headerMedia = z.object({ type: z.enum(['image', 'video', 'document']), media: mediaSource });

  /** The value of a template's header, positional or named. A header has at most one placeholder. */
  const headerText = z.union([
    z.pipe(
      z.array(parameterText).check(z.length(1)),
      z.transform(([text]) => text ?? ''),
    ),
    z
      .record(
        // The field names of a media header are not allowed.
        parameterName.check(z.regex(/^(?!(?:type|media)$)/)),
        parameterText,
      )
      .check(z.refine((named) => Object.keys(named).length === 1)),
  ]);
  const header = z.union([parameterText, headerMedia, origin === 'row' ? textParameters : headerText], {
    error: 'must be a text, or one media object: {type, media} with its url or id',
  });

  const buttonValue = z.string().check(z.minLength(1), z.maxLength(256));
  const button = z
    .object({
      type: z.enum(['url', 'quick_reply', 'copy_code']),
      value: buttonValue,
      /** The position of the button in the template. */
      index: optional(z.int().check(z.minimum(0), z.maximum(buttonsMax - 1))),
    })
    .check(
      z.refine(({ type, value }) => type !== 'url' || fitsPlaceholder(value), {
        message: unfit,
        path: ['value'],
      }),
    );
  const urlValue = buttonValue.check(z.refine(fitsPlaceholder, unfit));
  /** The short form is expanded to an object with type and position. */
  const buttons = z
    .pipe(
      z.array(z.union([urlValue, button])).check(z.maxLength(buttonsMax)),
      z.transform((given) =>
        withPlaces(
          given.map((item) => (typeof item === 'string' ? { type: 'url' as const, value: item } : item)),
        ),
      ),
    )
    .check(
      z.refine(
        (list) => origin === 'row' || new Set(list.map(({ index }) => index)).size === list.length,
        'must not use an index twice',
      ),
      z.refine(
        (list) => origin === 'row' || list.filter(({ type }) => type === 'copy_code').length <= 1,
        'must hold at most one copy_code',
      ),
    );

  const templateContent = z
    .object({
      name: z.string().check(z.minLength(1), z.maxLength(512)),
      /** Meta's language code, such as `en`, `en_GB`. */
      language: z
        .string()
        .check(z.regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'Use a language code such as en or en_GB.')),
      parameters: optional(
        z.object({
          /** The value of a text header, or the media of a media header. */
          header: optional(header),
          body: optional(textParameters),
          /** A string is the URL parameter of the URL button at its position. */
          buttons: optional(buttons),
        }),
      ),
    })
    .check(
      z.refine((template) => Buffer.byteLength(JSON.stringify(template)) <= maxTemplateBytes, {
        message: 'must take at most 64 KiB',
        path: ['parameters'],
      }),
    );

  /** Rounds to a tenth of a millimeter, because DynamoDB has no numbers nearer to zero than 1e-130. */
  const degrees = (max: number) =>
    z.pipe(
      z.number().check(z.minimum(-max), z.maximum(max)),
      // Adding zero turns -0 into 0.
      z.transform((given) => Number(given.toFixed(9)) + 0),
    );

  const locationContent = z.object({
    latitude: degrees(90),
    longitude: degrees(180),
    name: optional(shortText),
    address: optional(shortText),
  });

  const captioned = mediaSource.check(
    z.refine((media) => media.filename === undefined, {
      message: noFilename,
      path: ['filename'],
    }),
  );

  const bare = captioned.check(
    z.refine((media) => media.caption === undefined, {
      message: noCaption,
      path: ['caption'],
    }),
  );

  return { template: templateContent, media: mediaSource, captioned, bare, location: locationContent };
}

export type WhatsAppContent = z.output<ReturnType<typeof makeStoredContent>>;
export type TemplateContent = Extract<WhatsAppContent, { type: 'template' }>['template'];
export type LocationContent = Extract<WhatsAppContent, { type: 'location' }>['location'];
export type MediaSource = Extract<WhatsAppContent, { type: 'document' }>['media'];
/**
 * Gives each button without an index its own position in the list, or the first free one if another button has that index.
 */
function withPlaces<Button extends { readonly index?: number | undefined }>(buttons: readonly Button[]) {
  const named = new Set(buttons.map(({ index }) => index));
  const own = buttons.map(({ index }, place) => index ?? (named.has(place) ? undefined : place));
  const free = Array.from({ length: buttonsMax }, (_, place) => place).filter(
    (place) => !own.includes(place),
  );
  return buttons.map((button, place) => ({ ...button, index: own[place] ?? free.shift() ?? buttonsMax }));
}

export const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const;

export const receivedContent = lazily(makeContent);

export type ReceivedContent = z.output<ReturnType<typeof makeContent>>;
function makeContent() {
  const text = z.string();
  const optionalText = z.exactOptional(text);
  const asGiven = z.record(text, z.unknown());
  return z.object({
    /** `unsupported`: the recipient sent content that WhatsApp does not forward to businesses. */
    type: z.enum([
      ...mediaTypes,
      'location',
      'button_reply',
      'list_reply',
      'reaction',
      'contacts',
      'flow_reply',
      'order',
      'unsupported',
    ]),
    /** The media's id, with which `GetWhatsAppMessageMedia` of AWS End User Messaging Social fetches it. */
    media: z.exactOptional(
      z.object({ id: text, mime_type: optionalText, caption: optionalText, filename: optionalText }),
    ),
    location: z.exactOptional(
      z.object({ latitude: z.number(), longitude: z.number(), name: optionalText, address: optionalText }),
    ),
    /** For a quick reply to a template, the id is the button's payload. */
    button_reply: z.exactOptional(z.object({ id: text, title: text })),
    list_reply: z.exactOptional(z.object({ id: text, title: text, description: optionalText })),
    /** The emoji is absent if the recipient removed the reaction. */
    reaction: z.exactOptional(z.object({ emoji: optionalText })),
    // In the form in which Meta sends it.
    contacts: z.exactOptional(z.array(asGiven)),
    flow_reply: z.exactOptional(asGiven),
    order: z.exactOptional(asGiven),
  });
}

/** An inbound message, in the same form for all carriers. */
export interface InboundMessage {
  readonly channel: Channel;
  /** Present if a simulated recipient wrote to test data. */
  readonly mode?: 'test';
  /** The carrier's id, unique in its channel. A repeated notification has the same id. */
  readonly carrierMessageId: string;
  /** The sender, as E.164, a short code, or the id of a WhatsApp user who hides the number. */
  readonly person: string;
  /** Meta's id of the sender, if the carrier names it; the same as `person` if the number is hidden. */
  readonly user?: string;
  /** Our number that received the message, as E.164 or a short code. */
  readonly number: string;
  /** The id by which a WhatsApp number is named as a sender: `phone-number-id-…`. */
  readonly numberId?: string;
  readonly receivedAt: Date;
  /** Present if the message is a text. */
  readonly text?: string;
  /** Present if the message is a WhatsApp message other than a text. */
  readonly content?: ReceivedContent;
  /** The carrier's id of our message to which this one replies, if the carrier names it. */
  readonly repliesTo?: string;
}
