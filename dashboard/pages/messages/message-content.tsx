/** The content of a message: its text, media, location, contacts, reply or template. */
import {
  type Content,
  contentIn,
  contentTypeNames,
  type NoText,
  type PartsOf,
  type PossibleParts,
} from '../../../shared/message/message-summary.ts';
import { Code, Copyable, Secondary, Written } from '../../components/text.tsx';

export function MessageContent({ text = null, whatsapp }: Content) {
  const content = contentIn(whatsapp);
  if (content === undefined) {
    return text === null || text === '' ? <Secondary>No text</Secondary> : <Written text={text} />;
  }
  return (
    <>
      <Secondary>{contentTypeNames[content.type]}</Secondary>
      <Parts of={content} />
      <Written text={text} />
    </>
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
        <Raw label="Parameters of the template" value={parameters} />
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
          <Written text={location.name} />
          <Written text={location.address} />
          <Copyable name="coordinates" text={`${location.latitude}, ${location.longitude}`} />
        </>
      )}
      {button_reply === undefined ? null : <Choice {...button_reply} />}
      {list_reply === undefined ? null : <Choice {...list_reply} />}
      {reaction === undefined ? null : <div>{reaction.emoji ?? 'The reaction was removed.'}</div>}
      {contacts?.map((contact) => (
        <Written key={JSON.stringify(contact)} text={contactText(contact)} />
      ))}
      <Raw label="Flow reply" value={flow_reply} />
      <Raw label="Order" value={order} />
    </>
  );
}

function MediumParts({
  of: { id, url, mime_type, caption, filename },
}: {
  readonly of: PartsOf<NonNullable<PossibleParts['media']>>;
}) {
  return (
    <>
      <Written text={caption} />
      <Written text={filename} />
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

function Choice({ id, title, description }: NonNullable<PossibleParts['list_reply']>) {
  return (
    <>
      <Written text={title} />
      <Written text={description} />
      <Secondary>
        Id: <span className="id">{id}</span>
      </Secondary>
    </>
  );
}

function Raw({ label, value }: { readonly label: string; readonly value: unknown }) {
  return value === undefined ? null : <Code label={label} text={JSON.stringify(value, null, 2)} />;
}

/** Returns the name and the numbers of a contact in Meta's format, or JSON if the format is different. */
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
