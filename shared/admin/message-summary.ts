/** Summarizes a message in one line, for a list or a CSV file. */
import type { ReceivedContent } from '../message/received-content.ts';
import type { WhatsAppContent } from '../message/whatsapp-content.ts';

export interface Content {
  readonly text?: string | null | undefined;
  /** As the gateway validated it when it stored the row. */
  readonly whatsapp?: Readonly<Record<string, unknown>> | null | undefined;
}

type AnyContent = WhatsAppContent | ReceivedContent;
export type NoText = Exclude<WhatsAppContent, { type: 'text' }> | ReceivedContent;

/** The parts that a content may have, whatever its type. A template has its own. */
export type PossibleParts = PartsOf<Exclude<NoText, { type: 'template' }>>;

export type PartsOf<Union> = {
  readonly [Name in Union extends unknown ? keyof Union : never]?: Union extends {
    readonly [Part in Name]?: infer Value;
  }
    ? Value
    : never;
};

export const contentTypeNames: Readonly<Record<AnyContent['type'], string>> = {
  text: 'Text',
  template: 'Template',
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Sticker',
  location: 'Location',
  button_reply: 'Button reply',
  list_reply: 'List reply',
  reaction: 'Reaction',
  contacts: 'Contacts',
  flow_reply: 'Flow reply',
  order: 'Order',
  unsupported: 'A type that WhatsApp does not pass on',
};

export function summaryOf({ text, whatsapp }: Content): string {
  const content = contentIn(whatsapp);
  if (content === undefined) return text ?? '';
  const said = essenceOf(content) ?? text ?? '';
  return said === '' ? contentTypeNames[content.type] : `${contentTypeNames[content.type]}: ${said}`;
}

/** Returns the content if it is not plain text. */
export function contentIn(whatsapp: Content['whatsapp']): NoText | undefined {
  const content = whatsapp as AnyContent | null | undefined;
  return content === null || content === undefined || content.type === 'text' ? undefined : content;
}

function essenceOf(content: NoText): string | undefined {
  if (content.type === 'template') return content.template.name;
  const parts: PossibleParts = content;
  return (
    parts.media?.caption ??
    parts.media?.filename ??
    parts.location?.name ??
    parts.button_reply?.title ??
    parts.list_reply?.title ??
    parts.reaction?.emoji
  );
}
