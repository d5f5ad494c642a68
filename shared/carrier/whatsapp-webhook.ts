/** Reads an entry of Meta's webhook: statuses and inbound messages. Meta posts the entry, or AWS publishes it. */
import * as z from 'zod/mini';
import { inboundNumber } from '../contract/phone-number.ts';
import { isWhatsAppUserId } from '../contract/recipient-forms.ts';
import type { Receipt } from '../message/dispatch/receipt-decisions.ts';
import type { InboundMessage, mediaTypes } from '../message/whatsapp-content.ts';
import {
  type CarrierNotification,
  read,
  type UnreadableNotification,
  unreadable,
} from './carrier-notification.ts';
import { epochSecondsText, momentIn, receiptsOfStatus, whatsAppStatus } from './whatsapp-statuses.ts';

/** An entry with neither statuses nor messages concerns the account, and is ignored. */
export const whatsAppWebhookEntry = z.object({
  changes: z.array(
    z.object({
      value: z.object({
        metadata: z.optional(
          z.object({ display_phone_number: z.optional(z.string()), phone_number_id: z.optional(z.string()) }),
        ),
        /** Each item is parsed separately, so that an unreadable item does not delay the others. */
        statuses: z.optional(z.array(z.unknown())),
        messages: z.optional(z.array(z.unknown())),
        /** The authors of the messages. */
        contacts: z.optional(z.array(z.unknown())),
      }),
    }),
  ),
});

export function readWebhookEntry(
  { changes }: z.output<typeof whatsAppWebhookEntry>,
  {
    receivedAt,
    numberIdOf,
    carrierMessageIdOf,
  }: {
    /** When Meta's call arrived, as ISO 8601. */
    readonly receivedAt: string;
    /** Returns the id by which a send request names our number. */
    readonly numberIdOf: (metaId: string | undefined) => string | undefined;
    /**
     * Returns the id that the hand-over returned for the message with this id of Meta; undefined if the carrier does not
     * report it.
     */
    readonly carrierMessageIdOf: (metaId: string) => string | undefined;
  },
): CarrierNotification {
  const receipts: Receipt[] = [];
  const inbound: InboundMessage[] = [];
  const faults: UnreadableNotification[] = [];
  for (const { value } of changes) {
    const { metadata, statuses = [], messages = [], contacts = [] } = value;
    const numberId = numberIdOf(metadata?.phone_number_id);
    for (const each of statuses) {
      try {
        const status = read(whatsAppStatus, each, 'a WhatsApp status');
        const carrierMessageId = carrierMessageIdOf(status.id);
        receipts.push(...receiptsOfStatus(status, { receivedAt, from: numberId, carrierMessageId }));
      } catch (cause) {
        faults.push(unreadable('a WhatsApp status', cause));
      }
    }
    const number = metadata?.display_phone_number ?? '';
    for (const message of messages) {
      try {
        const found = inboundOfWhatsApp(message, { number, numberId, receivedAt, contacts });
        if (found !== undefined) inbound.push(found);
      } catch (cause) {
        faults.push(unreadable('a WhatsApp message', cause));
      }
    }
  }
  return { receipts, inbound, unreadable: faults };
}

const text = z.string();
const id = text.check(z.minLength(1));
const asGiven = z.record(text, z.unknown());

const ofType = z.object({ type: text });

const envelope = z.object({
  from: z.nullish(text),
  from_user_id: z.nullish(text),
  id,
  timestamp: epochSecondsText,
  /** The message that the recipient replies to or forwards. */
  context: z.optional(z.object({ id: z.optional(id) })),
});

const contact = z.object({ wa_id: z.nullish(text), user_id: z.nullish(text) });

const phoneNumber = /^\+?\d{4,15}$/;

/**
 * Returns the sender's number, or Meta's id of the sender if the number is hidden, and the id. Meta omits hidden fields or
 * sends them empty.
 *
 * @throws Error if both are missing.
 */
function namesOf(
  { from, from_user_id }: z.output<typeof envelope>,
  contacts: readonly unknown[],
): Pick<InboundMessage, 'person' | 'user'> {
  const only = contacts.length === 1 ? contact.safeParse(contacts[0]).data : undefined;
  const names = [from || only?.wa_id, from_user_id || only?.user_id].filter(
    (name) => typeof name === 'string',
  );
  const number = names.find((name) => phoneNumber.test(name));
  const user = names.find(isWhatsAppUserId);
  const person = number === undefined ? user : inboundNumber(number);
  if (person === undefined) throw new Error('neither a number nor an id of the person is given');
  return { person, user };
}

/** The content of a message: a text or another type. */
interface Content {
  readonly text?: string;
  readonly content?: NonNullable<InboundMessage['content']>;
}

/** Notices about a recipient, such as a new number, have this type. They are not messages. */
const notAMessage = 'system';

const readers = new Map<string, (message: unknown) => Content>(
  Object.entries({
    text: reader(z.object({ text: z.object({ body: text }) }), (message) => ({ text: message.text.body })),
    image: mediaReader('image'),
    video: mediaReader('video'),
    audio: mediaReader('audio'),
    document: mediaReader('document'),
    sticker: mediaReader('sticker'),
    location: reader(
      z.object({
        location: z.object({
          latitude: z.number(),
          longitude: z.number(),
          name: z.exactOptional(text),
          address: z.exactOptional(text),
        }),
      }),
      ({ location }) => ({ content: { type: 'location', location } }),
    ),
    // A quick reply to a template.
    button: reader(
      z.object({ button: z.object({ text, payload: z.optional(text) }) }),
      ({ button: { text: title, payload = title } }) => buttonReply(payload, title),
    ),
    interactive: readInteractive,
    reaction: reader(
      z.object({ reaction: z.object({ emoji: z.optional(text) }) }),
      // If the recipient removes a reaction, Meta omits the emoji or sends it empty.
      ({ reaction: { emoji } }) => ({ content: { type: 'reaction', reaction: emoji ? { emoji } : {} } }),
    ),
    contacts: reader(z.object({ contacts: z.array(asGiven) }), ({ contacts }) => ({
      content: { type: 'contacts', contacts },
    })),
    order: reader(z.object({ order: asGiven }), ({ order }) => ({ content: { type: 'order', order } })),
    unsupported: (): Content => ({ content: { type: 'unsupported' } }),
  }),
);

const interactiveType = z.object({ interactive: z.object({ type: text }) });

const interactiveReaders = new Map<string, (message: unknown) => Content>(
  Object.entries({
    button_reply: reader(
      z.object({ interactive: z.object({ button_reply: z.object({ id: text, title: text }) }) }),
      ({ interactive: { button_reply } }) => buttonReply(button_reply.id, button_reply.title),
    ),
    list_reply: reader(
      z.object({
        interactive: z.object({
          list_reply: z.object({ id: text, title: text, description: z.exactOptional(text) }),
        }),
      }),
      ({ interactive: { list_reply } }) => ({ content: { type: 'list_reply', list_reply } }),
    ),
    nfm_reply: reader(
      z.object({ interactive: z.object({ nfm_reply: asGiven }) }),
      ({ interactive: { nfm_reply } }) => ({ content: { type: 'flow_reply', flow_reply: nfm_reply } }),
    ),
  }),
);

/**
 * Returns the message; undefined for a notice about the recipient.
 *
 * @throws Error if the message does not have a documented form.
 */
function inboundOfWhatsApp(
  message: unknown,
  event: {
    /** Ours. */
    readonly number: string;
    /** The id by which a send request names this number. */
    readonly numberId: string | undefined;
    /** When Meta's call arrived, as ISO 8601. */
    readonly receivedAt: string;
    readonly contacts: readonly unknown[];
  },
): InboundMessage | undefined {
  const { type } = ofType.parse(message);
  if (type === notAMessage) return undefined;
  const read = readers.get(type);
  if (read === undefined) throw new Error(`messages of type ${JSON.stringify(type)} are not known`);
  const outside = envelope.parse(message);
  const { id: carrierMessageId, timestamp, context } = outside;
  const reaction = type === 'reaction' ? reactedTo.parse(message).reaction.message_id : undefined;
  const repliesTo = reaction ?? context?.id;
  return {
    channel: 'whatsapp',
    carrierMessageId,
    ...namesOf(outside, event.contacts),
    number: inboundNumber(event.number),
    receivedAt: momentIn(timestamp, event.receivedAt),
    ...read(message),
    numberId: event.numberId,
    repliesTo,
  };
}

const reactedTo = z.object({ reaction: z.object({ message_id: z.optional(id) }) });

function readInteractive(message: unknown): Content {
  const { type } = interactiveType.parse(message).interactive;
  const read = interactiveReaders.get(type);
  if (read === undefined)
    throw new Error(`interactive messages of type ${JSON.stringify(type)} are not known`);
  return read(message);
}

function buttonReply(replyId: string, title: string): Content {
  return { content: { type: 'button_reply', button_reply: { id: replyId, title } } };
}

function mediaReader(type: (typeof mediaTypes)[number]): (message: unknown) => Content {
  const media = z.object({
    id,
    mime_type: z.exactOptional(text),
    caption: z.exactOptional(text),
    filename: z.exactOptional(text),
  });
  return reader(z.object({ [type]: media }), (message) => ({
    content: { type, media: media.parse(message[type]) },
  }));
}

function reader<Schema extends z.ZodMiniType>(
  schema: Schema,
  contentOf: (message: z.output<Schema>) => Content,
): (message: unknown) => Content {
  return (message) => contentOf(schema.parse(message));
}
