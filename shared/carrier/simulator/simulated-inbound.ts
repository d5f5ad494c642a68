/** Writes a message of a simulated person in the form in which AWS publishes it. */

import type { Channel } from '../../contract/channels.ts';
import type { Mode } from '../../contract/mode.ts';
import { snsNotification, whatsAppEvent } from './simulated-receipts.ts';

/** The number of a simulated carrier, where a message names no sender. */
export const simulatorNumber = '+15005550100';

interface SimulatedInbound {
  readonly channel: Channel;
  /** The person, E.164. */
  readonly from: string;
  /** Our number. */
  readonly to: string;
  readonly text: string;
  /** Unique. */
  readonly id: string;
  readonly at: Date;
  /** Where the message belongs to test data. */
  readonly mode?: Mode | undefined;
  /** The carrier's id of the message that this one answers. */
  readonly repliesTo?: string;
}

/** The id under which the notification of this channel has the message. */
export function carrierIdOf(channel: Channel, id: string): string {
  return channel === 'whatsapp' ? `wamid.${id}` : id;
}

/** The body of the queue message. */
export function inboundNotification(inbound: SimulatedInbound): string {
  return snsNotification(inbound.id, eventOf[inbound.channel](inbound), inbound.at, inbound.mode);
}

const eventOf: Readonly<Record<Channel, (inbound: SimulatedInbound) => object>> = {
  sms: ({ from, to, text, id, repliesTo }) => ({
    originationNumber: from,
    destinationNumber: to,
    messageKeyword: 'KEYWORD_SIMULATOR',
    messageBody: text,
    inboundMessageId: id,
    previousPublishedMessageId: repliesTo,
  }),
  whatsapp: ({ from, to, text, id, at, repliesTo }) =>
    whatsAppEvent(
      {
        metadata: { display_phone_number: to.replace('+', ''), phone_number_id: 'simulator' },
        messages: [
          {
            from: from.replace('+', ''),
            id: carrierIdOf('whatsapp', id),
            timestamp: String(Math.floor(at.getTime() / 1000)),
            type: 'text',
            text: { body: text },
            context: repliesTo === undefined ? undefined : { id: repliesTo },
          },
        ],
      },
      at,
    ),
};
