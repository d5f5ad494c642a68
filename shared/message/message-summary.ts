/** Summarizes the content of a message in one line. */
import type { MessageStatus } from './message-response.schema.ts';
import type { ReceivedContent, WhatsAppContent } from './whatsapp-content.ts';

export interface Content {
  readonly text?: string | null | undefined;
  /** The content, validated when the row was stored. */
  readonly whatsapp?: Readonly<Record<string, unknown>> | null | undefined;
}

type AnyContent = WhatsAppContent | ReceivedContent;

const contentTypeNames: Readonly<Record<AnyContent['type'], string>> = {
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
  unsupported: 'A type that WhatsApp does not forward',
};

export function summaryOf({ text, whatsapp }: Content): string {
  const content = whatsapp as AnyContent | null | undefined;
  if (content === null || content === undefined || content.type === 'text') return text ?? '';
  const said = essenceOf(content) ?? text ?? '';
  return said === '' ? contentTypeNames[content.type] : `${contentTypeNames[content.type]}: ${said}`;
}

function essenceOf(content: AnyContent): string | undefined {
  if ('template' in content) return content.template.name;
  if ('media' in content) return content.media?.caption ?? content.media?.filename;
  if ('location' in content) return content.location?.name;
  if ('button_reply' in content) return content.button_reply?.title;
  if ('list_reply' in content) return content.list_reply?.title;
  return 'reaction' in content ? content.reaction?.emoji : undefined;
}

/** `client_id` is null if an inbound message belongs to no client. */
export type FoundMessage = Omit<MessageStatus, 'client_id'> & { readonly client_id: string | null };
