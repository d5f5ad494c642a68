/** A message that a person sent to one of our numbers, in the same form for all carriers. */
import type { Channel } from '../../contract/channels.ts';
import type { ReceivedContent } from '../received-content.ts';

export interface InboundMessage {
  readonly channel: Channel;
  /** Unique in its channel; a repeated notification has the same. */
  readonly carrierMessageId: string;
  /** Who sent it: E.164, or a short code. */
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
