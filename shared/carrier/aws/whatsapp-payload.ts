/** Meta's JSON for a message (Cloud API, "Messages"). Every status report returns the attempt's id in `biz_opaque_callback_data`. */
import type { Message } from '../../message/message.ts';
import type {
  MediaSource,
  TemplateContent,
  TextParameters,
  WhatsAppContent,
} from '../../message/whatsapp-content.ts';

export function whatsAppPayload(message: Message, body: string, attemptId: string): object {
  const content = message.whatsapp ?? { type: 'text' };
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: message.recipient,
    type: content.type,
    [content.type]: contentFor(content, body),
    biz_opaque_callback_data: attemptId,
  };
}

/**
 * Meta's "Authentication templates": the code is in the body and in the copy-code button, which has the type URL.
 *
 * @param otpTemplate - as it is registered with Meta, `name/language`
 */
export function codePayload(message: Message, code: string, otpTemplate: string, attemptId: string): object {
  const [name = '', language = ''] = otpTemplate.split('/');
  const parameters = { body: [code], buttons: [{ type: 'url' as const, value: code, index: 0 }] };
  const content: WhatsAppContent = { type: 'template', template: { name, language, parameters } };
  return whatsAppPayload({ ...message, whatsapp: content }, '', attemptId);
}

function contentFor(content: WhatsAppContent, body: string): object {
  switch (content.type) {
    case 'text':
      return { body };
    case 'template':
      return template(content.template);
    case 'location':
      return content.location;
    default:
      return media(content.media);
  }
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
  return { name, language: { code: language }, ...(components.length === 0 ? {} : { components }) };
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

/** The media of a template has no caption, and only a document has a filename. */
function headerMedia({ type, media: { caption, filename, ...source } }: HeaderMedia): object {
  return media(type === 'document' ? { ...source, filename } : source);
}

/** Named or positional. */
function textParameters(values: TextParameters): object[] {
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
