/**
 * Summarizes a message in one line: for a list, or for a CSV file, which is the same from the dashboard and from the
 * shell.
 */
import type { Cell } from '../platform/csv.ts';
import type { MessageStatus } from './message-response.schema.ts';
import type { ReceivedContent, WhatsAppContent } from './whatsapp-content.ts';

export interface Content {
  readonly text?: string | null | undefined;
  /** As the gateway validated it when it stored the row. */
  readonly whatsapp?: Readonly<Record<string, unknown>> | null | undefined;
}

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

export const contentTypeNames: Readonly<Record<(WhatsAppContent | ReceivedContent)['type'], string>> = {
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
  const content = whatsapp as WhatsAppContent | ReceivedContent | null | undefined;
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

/** The client is null if an inbound message belongs to none. */
export type FoundMessage = Omit<MessageStatus, 'client_id'> & { readonly client_id: string | null };

/** Returns the cells of the columns. @param nameOf - the name of a client; undefined if it no longer exists */
export function messageCsvColumns(
  nameOf: (clientId: string) => string | undefined,
): Readonly<Record<string, (message: FoundMessage) => Cell>> {
  return {
    message_id: ({ message_id }) => message_id,
    direction: directionOf,
    recipient: ({ recipient }) => recipient,
    from: ({ from }) => from,
    status: ({ status }) => status,
    error_code: ({ error }) => error?.code,
    created_at: ({ created_at }) => created_at,
    client_id: ({ client_id }) => client_id,
    client_name: ({ client_id }) => (client_id === null ? undefined : nameOf(client_id)),
    channel: ({ channel }) => channel,
    type: ({ type }) => type,
    reference: ({ reference }) => reference,
    segments: ({ segments }) => segments,
    cost: ({ cost }) => cost,
    currency: ({ currency }) => currency,
    scheduled_at: ({ scheduled_at }) => scheduled_at,
    sent_at: ({ sent_at }) => sent_at,
    delivered_at: ({ delivered_at }) => delivered_at,
    read_at: ({ read_at }) => read_at,
    received_at: ({ received_at }) => received_at,
    in_reply_to: ({ in_reply_to }) => in_reply_to,
    received: (message) => (directionOf(message) === 'inbound' ? summaryOf(message) : undefined),
  };
}

function directionOf({ direction }: FoundMessage): 'inbound' | 'outbound' {
  return direction ?? 'outbound';
}
