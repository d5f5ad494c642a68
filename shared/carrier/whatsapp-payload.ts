/**
 * Builds Meta's JSON for a message (Cloud API, "Messages"). Meta returns the attempt's id in `biz_opaque_callback_data` of
 * every status.
 */
import { isWhatsAppUserId } from '../contract/recipient-forms.ts';
import type { HandOverRequest } from '../message/dispatch/carrier.ts';
import type {
  LocationContent,
  MediaSource,
  TemplateContent,
  WhatsAppContent,
} from '../message/whatsapp-content.ts';

/** The version of Meta's API in whose format the payload is written. */
export const metaApiVersion = 'v23.0';

/**
 * Returns the payload. WhatsApp accepts a text only within 24 hours of the recipient's last message, but a template at any
 * time.
 *
 * @param otpTemplate - the registered template, as `name/language`. By default, one-time passwords are sent as text
 */
export function whatsAppPayload({ message, body, attempt }: HandOverRequest, otpTemplate?: string): object {
  const { text, code } = body;
  const content =
    code === undefined || otpTemplate === undefined
      ? (message.whatsapp ?? { type: 'text' })
      : codeContent(code, otpTemplate);

  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Meta accepts an id in `to`, and then drops the message silently.
    ...(isWhatsAppUserId(message.recipient) ? { recipient: message.recipient } : { to: message.recipient }),
    type: content.type,
    [content.type]: contentFor(content, text),
    biz_opaque_callback_data: attempt.id,
  };
}

/**
 * Meta's "Authentication templates" contain the code twice: in the body and in the copy-code button, which has the type
 * URL.
 */
function codeContent(code: string, otpTemplate: string): WhatsAppContent {
  const [name = '', language = ''] = otpTemplate.split('/');
  const parameters = { body: [code], buttons: [{ type: 'url' as const, value: code, index: 0 }] };
  return { type: 'template', template: { name, language, parameters } };
}

function contentFor(content: WhatsAppContent, body: string): object {
  switch (content.type) {
    case 'text':
      return { body };
    case 'template':
      return template(content.template);
    case 'location':
      return location(content.location);
    default:
      return media(content.media);
  }
}

/** Meta's API takes coordinates as strings. */
function location({ latitude, longitude, ...rest }: LocationContent): object {
  return { latitude: String(latitude), longitude: String(longitude), ...rest };
}

function media({ url, id, ...rest }: MediaSource): object {
  return { ...(id === undefined ? { link: url } : { id }), ...rest };
}

function template({ name, language, parameters = {} }: TemplateContent): object {
  const inHeader = parameters.header === undefined ? [] : header(parameters.header);
  const inBody = parameters.body === undefined ? [] : textParameters(parameters.body);
  const components = [
    ...(inHeader.length === 0 ? [] : [{ type: 'header', parameters: inHeader }]),
    ...(inBody.length === 0 ? [] : [{ type: 'body', parameters: inBody }]),
    ...(parameters.buttons ?? []).map(button),
  ];
  return {
    name,
    language: { policy: 'deterministic', code: language },
    ...(components.length === 0 ? {} : { components }),
  };
}

type Parameters = NonNullable<TemplateContent['parameters']>;

function header(value: NonNullable<Parameters['header']>): object[] {
  if (typeof value === 'string') return textParameters([value]);
  if (isHeaderMedia(value)) return [{ type: value.type, [value.type]: headerMedia(value) }];
  return textParameters(value);
}

type HeaderMedia = Extract<NonNullable<Parameters['header']>, { readonly media: MediaSource }>;

function isHeaderMedia(value: object): value is HeaderMedia {
  return 'media' in value && typeof value.media === 'object';
}

/** The media of a template has no caption, and has a file name only if it is a document. */
function headerMedia({ type, media: { caption, filename, ...source } }: HeaderMedia): object {
  return media(type === 'document' ? { ...source, filename } : source);
}

/** The parameters of a template are named or positional. */
function textParameters(values: NonNullable<NonNullable<TemplateContent['parameters']>['body']>): object[] {
  if (Array.isArray(values)) return values.map((text) => ({ type: 'text', text }));
  return Object.entries(values).map(([name, text]) => ({ type: 'text', parameter_name: name, text }));
}

function button({ type, value, index }: NonNullable<Parameters['buttons']>[number]): object {
  return { type: 'button', sub_type: type, index: String(index), parameters: [buttonParameter[type](value)] };
}

const buttonParameter = {
  url: (text: string) => ({ type: 'text', text }),
  quick_reply: (payload: string) => ({ type: 'payload', payload }),
  copy_code: (code: string) => ({ type: 'coupon_code', coupon_code: code }),
};
