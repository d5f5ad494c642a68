/** Writes a message of a person in the form in which AWS publishes it, so that one parser reads both. */
import type { Channel } from '../../contract/channels.ts';

/** The number of a simulated carrier, where a message names no sender. */
export const simulatorNumber = '+15005550100';

export interface SimulatedInbound {
  readonly channel: Channel;
  /** The person, E.164. */
  readonly from: string;
  /** Our number. */
  readonly to: string;
  readonly text: string;
  /** Unique. */
  readonly id: string;
  readonly at: Date;
  /** The carrier's id of the message that this one answers. */
  readonly repliesTo?: string;
}

/** The id under which the notification of this channel has the message. */
export function carrierIdOf(channel: Channel, id: string): string {
  return channel === 'whatsapp' ? `wamid.${id}` : id;
}

/** The body of the queue message: an SNS notification around the event. */
export function inboundNotification(inbound: SimulatedInbound): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: inbound.id,
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:simulated-receipts',
    Message: JSON.stringify(eventOf[inbound.channel](inbound)),
    Timestamp: inbound.at.toISOString(),
  });
}

const eventOf: Readonly<Record<Channel, (inbound: SimulatedInbound) => object>> = {
  sms: ({ from, to, text, id, repliesTo }) => ({
    originationNumber: from,
    destinationNumber: to,
    messageKeyword: 'KEYWORD_SIMULATOR',
    messageBody: text,
    inboundMessageId: id,
    ...(repliesTo === undefined ? {} : { previousPublishedMessageId: repliesTo }),
  }),
  whatsapp: ({ from, to, text, id, at, repliesTo }) => ({
    context: { MetaWabaIds: [], MetaPhoneNumberIds: [] },
    whatsAppWebhookEntry: JSON.stringify({
      id: 'simulator',
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: to.replace('+', ''), phone_number_id: 'simulator' },
            messages: [
              {
                from: from.replace('+', ''),
                id: carrierIdOf('whatsapp', id),
                timestamp: String(Math.floor(at.getTime() / 1000)),
                type: 'text',
                text: { body: text },
                ...(repliesTo === undefined ? {} : { context: { id: repliesTo } }),
              },
            ],
          },
          field: 'messages',
        },
      ],
    }),
    message_timestamp: at.toISOString(),
  }),
};
