/**
 * The content of an inbound WhatsApp message that is not text: the useful part of Meta's webhook, with the field
 * names of a send (contract, section 13). `type` says which fields are present.
 */
import * as z from 'zod/mini';
import type { Channel } from '../contract/channels.ts';
import { lazily } from '../platform/expiring-cache.ts';

const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const;

export const receivedContent = lazily(makeContent);

export type ReceivedContent = z.output<ReturnType<typeof makeContent>>;
export type MediaType = (typeof mediaTypes)[number];

function makeContent() {
  const text = z.string();
  const optionalText = z.exactOptional(text);
  const asGiven = z.record(text, z.unknown());
  return z.object({
    /** `unsupported`: the sender sent something that WhatsApp does not pass on to businesses. */
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
    /** Its content is fetched by the id, with `GetWhatsAppMessageMedia` of AWS End User Messaging Social. */
    media: z.exactOptional(
      z.object({ id: text, mime_type: optionalText, caption: optionalText, filename: optionalText }),
    ),
    location: z.exactOptional(
      z.object({ latitude: z.number(), longitude: z.number(), name: optionalText, address: optionalText }),
    ),
    /** A quick reply to a template has a payload as its id. */
    button_reply: z.exactOptional(z.object({ id: text, title: text })),
    list_reply: z.exactOptional(z.object({ id: text, title: text, description: optionalText })),
    /** If there is no emoji, the sender removed the reaction. */
    reaction: z.exactOptional(z.object({ emoji: optionalText })),
    // The content in the form in which Meta gives it.
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
  /** Unique in its channel; a repeated notification has the same. */
  readonly carrierMessageId: string;
  /** The sender: E.164, a short code, or the id of a WhatsApp user who hides the number. */
  readonly person: string;
  /** Our number that it was sent to: E.164, or a short code. */
  readonly number: string;
  /** The id by which a WhatsApp number is a sender: `phone-number-id-…`. */
  readonly numberId?: string;
  readonly receivedAt: Date;
  /** Present if it is a text. */
  readonly text?: string;
  /** Present if it is a WhatsApp message other than a text. */
  readonly content?: ReceivedContent;
  /** The carrier's id of our message that this one answers, if the carrier names it. */
  readonly repliesTo?: string;
}
