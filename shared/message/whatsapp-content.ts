/** What a WhatsApp message can hold, in the words of the API (contract, section 5): the request and the row alike. */
import * as z from 'zod/mini';

const maxParameters = 64;
/** Well below what a row can hold; WhatsApp itself takes far less. */
const maxTemplateBytes = 64 * 1024;

let content: ReturnType<typeof makeContent> | undefined;

/**
 * A text's words are the message's own `text`; all else is here. Made when it is first asked for: every function
 * that reads message rows imports this, and few ever meet a WhatsApp message in their first second.
 */
export function whatsAppContent(): ReturnType<typeof makeContent> {
  content ??= makeContent();
  return content;
}

function makeContent() {
  const shortText = z.string().check(z.minLength(1), z.maxLength(1024));
  const httpUrl = z.url({ protocol: /^https?$/ }).check(z.maxLength(2048));

  const mediaSource = z
    .object({
      url: z.optional(httpUrl),
      id: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
      caption: z.optional(shortText),
      filename: z.optional(z.string().check(z.minLength(1), z.maxLength(240))),
    })
    .check(
      z.refine((media) => (media.url === undefined) !== (media.id === undefined), {
        message: 'Give either url or id.',
        path: ['url'],
      }),
    );

  /** Positional values in their order, or named values. */
  const textParameters = z.union([
    z.array(shortText).check(z.maxLength(maxParameters)),
    z
      .record(z.string().check(z.minLength(1), z.maxLength(64)), shortText)
      .check(
        z.refine(
          (named) => Object.keys(named).length <= maxParameters,
          `at most ${maxParameters} parameters`,
        ),
      ),
  ]);

  const headerMedia = z.object({ type: z.enum(['image', 'video', 'document']), media: mediaSource });

  const button = z.object({
    type: z.enum(['url', 'quick_reply', 'copy_code']),
    value: z.string().check(z.minLength(1), z.maxLength(256)),
    /** The button's place in the template; its place in this list where absent. */
    index: z.optional(z.int().check(z.minimum(0), z.maximum(9))),
  });

  const templateContent = z
    .object({
      name: z.string().check(z.minLength(1), z.maxLength(512)),
      /** Meta's language code: `en`, `en_GB`. */
      language: z
        .string()
        .check(z.regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'Use a language code such as en or en_GB.')),
      parameters: z.optional(
        z.object({
          /** A text header's one value, its values, or the media of a media header. */
          header: z.optional(z.union([shortText, headerMedia, textParameters])),
          body: z.optional(textParameters),
          /** A bare value fills the address of the URL button at its place. */
          buttons: z.optional(
            z
              .array(z.union([z.string().check(z.minLength(1), z.maxLength(256)), button]))
              .check(z.maxLength(10)),
          ),
        }),
      ),
    })
    .check(
      z.refine((template) => Buffer.byteLength(JSON.stringify(template)) <= maxTemplateBytes, {
        message: 'must take at most 64 KiB',
        path: ['parameters'],
      }),
    );

  /** To a tenth of a millimetre: nearer to zero than 1e-130 is a number that no row can hold. */
  const degrees = (max: number) =>
    z.pipe(
      z.number().check(z.minimum(-max), z.maximum(max)),
      // Added to zero, the negative zero of a rounded number is a plain one.
      z.transform((given) => Number(given.toFixed(9)) + 0),
    );

  const locationContent = z.object({
    latitude: degrees(90),
    longitude: degrees(180),
    name: z.optional(shortText),
    address: z.optional(shortText),
  });

  const captioned = mediaSource.check(
    z.refine((media) => media.filename === undefined, {
      message: 'Only a document has a filename.',
      path: ['filename'],
    }),
  );

  const bare = captioned.check(
    z.refine((media) => media.caption === undefined, {
      message: 'Audio and stickers have no caption.',
      path: ['caption'],
    }),
  );

  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('template'), template: templateContent }),
    z.object({ type: z.literal('image'), media: captioned }),
    z.object({ type: z.literal('video'), media: captioned }),
    z.object({ type: z.literal('audio'), media: bare }),
    z.object({ type: z.literal('document'), media: mediaSource }),
    z.object({ type: z.literal('sticker'), media: bare }),
    z.object({ type: z.literal('location'), location: locationContent }),
  ]);
}

export type WhatsAppContent = z.output<ReturnType<typeof makeContent>>;
export type TemplateContent = Extract<WhatsAppContent, { type: 'template' }>['template'];
export type MediaSource = Extract<WhatsAppContent, { type: 'document' }>['media'];
export type TextParameters = NonNullable<NonNullable<TemplateContent['parameters']>['body']>;
