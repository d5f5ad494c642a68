/** What a message says: its text as it was written, or the medium, place, contacts, reply or template that it holds. */
import type { ReceivedContent } from '../../../shared/message/received-content.ts';
import type { WhatsAppContent } from '../../../shared/message/whatsapp-content.ts';
import { Code } from '../../components/code.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Secondary } from '../../components/secondary.tsx';

/** The text and the content of a message's row. */
export interface Content {
  readonly text?: string | null | undefined;
  /** As the gateway validated it when it stored the row. */
  readonly whatsapp?: Readonly<Record<string, unknown>> | null | undefined;
}

type AnyContent = WhatsAppContent | ReceivedContent;
type NoText = Exclude<WhatsAppContent, { type: 'text' }> | ReceivedContent;

/** The parts that a content may have, whatever its type. A template has its own. */
type PossibleParts = PartsOf<Exclude<NoText, { type: 'template' }>>;

/** Every property that one of the types has. */
type PartsOf<Union> = {
  readonly [Name in Union extends unknown ? keyof Union : never]?: Union extends {
    readonly [Part in Name]?: infer Value;
  }
    ? Value
    : never;
};

type Medium = PartsOf<NonNullable<PossibleParts['media']>>;

interface ChoiceProps {
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
}

const typeNames: Readonly<Record<AnyContent['type'], string>> = {
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

export function MessageContent({ text = null, whatsapp }: Content) {
  const content = contentIn(whatsapp);
  if (content === undefined) {
    return text === null || text === '' ? <Secondary>No text</Secondary> : <Written text={text} />;
  }
  return (
    <>
      <Secondary>{typeNames[content.type]}</Secondary>
      <Parts of={content} />
      {text === null ? null : <Written text={text} />}
    </>
  );
}

/** In one line of a list. */
export function summaryOf({ text, whatsapp }: Content): string {
  const content = contentIn(whatsapp);
  if (content === undefined) return text ?? '';
  const said = essenceOf(content) ?? text ?? '';
  return said === '' ? typeNames[content.type] : `${typeNames[content.type]}: ${said}`;
}

function contentIn(whatsapp: Content['whatsapp']): NoText | undefined {
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

function Parts({ of: content }: { readonly of: NoText }) {
  if (content.type === 'template') {
    const { name, language, parameters } = content.template;
    return (
      <>
        <div className="id">
          {name} ({language})
        </div>
        {parameters === undefined ? null : (
          <Code label="Parameters of the template" text={JSON.stringify(parameters, null, 2)} />
        )}
      </>
    );
  }
  const parts: PossibleParts = content;
  const { media, location, button_reply, list_reply, reaction, contacts, flow_reply, order } = parts;
  return (
    <>
      {media === undefined ? null : <MediumParts of={media} />}
      {location === undefined ? null : (
        <>
          {location.name === undefined ? null : <Written text={location.name} />}
          {location.address === undefined ? null : <Written text={location.address} />}
          <Copyable name="coordinates" text={`${location.latitude}, ${location.longitude}`} />
        </>
      )}
      {button_reply === undefined ? null : <Choice {...button_reply} />}
      {list_reply === undefined ? null : <Choice {...list_reply} />}
      {reaction === undefined ? null : <div>{reaction.emoji ?? 'The reaction was removed.'}</div>}
      {contacts?.map((contact) => (
        <Written key={JSON.stringify(contact)} text={contactText(contact)} />
      ))}
      {flow_reply === undefined ? null : <Raw label="Flow reply" value={flow_reply} />}
      {order === undefined ? null : <Raw label="Order" value={order} />}
    </>
  );
}

function MediumParts({ of: { id, url, mime_type, caption, filename } }: { readonly of: Medium }) {
  return (
    <>
      {caption === undefined ? null : <Written text={caption} />}
      {filename === undefined ? null : <Written text={filename} />}
      {mime_type === undefined ? null : <div>{mime_type}</div>}
      {url === undefined ? null : <Copyable name="media URL" text={url} />}
      {id === undefined ? null : (
        <Copyable name="media id" text={id}>
          Media id: {id}
        </Copyable>
      )}
    </>
  );
}

function Choice({ id, title, description }: ChoiceProps) {
  return (
    <>
      <Written text={title} />
      {description === undefined ? null : <Written text={description} />}
      <Secondary>
        Id: <span className="id">{id}</span>
      </Secondary>
    </>
  );
}

function Raw({ label, value }: { readonly label: string; readonly value: unknown }) {
  return <Code label={label} text={JSON.stringify(value, null, 2)} />;
}

/** Name and numbers, as Meta has them; anything else as it is. */
function contactText(contact: Readonly<Record<string, unknown>>): string {
  const { name, phones } = contact as {
    readonly name?: { readonly formatted_name?: unknown };
    readonly phones?: unknown;
  };
  const numbers = Array.isArray(phones)
    ? phones.map((one: { readonly phone?: unknown } | null) => one?.phone)
    : [];
  const known = [name?.formatted_name, ...numbers].filter((part) => typeof part === 'string' && part !== '');
  return known.length === 0 ? JSON.stringify(contact) : known.join('\n');
}

/** With its line breaks, and from right to left where its script is. */
function Written({ text }: { readonly text: string }) {
  return (
    <p className="written" dir="auto">
      {text}
    </p>
  );
}
