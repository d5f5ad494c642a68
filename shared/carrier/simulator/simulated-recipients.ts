/**
 * The simulated recipients, and the reports of the simulated carrier: receipts (which depend on the recipient, contract
 * 9.4) and inbound messages. These reports have the same form as those of AWS, so one parser reads both.
 */
import type { Channel } from '../../contract/channels.ts';
import type { Mode } from '../../contract/mode.ts';
import type { Price } from '../../contract/prices.ts';
import { isWhatsAppUserId } from '../../contract/recipient-forms.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Message } from '../../message/message.ts';
import { sendMessages } from '../../platform/aws/queues.sqs.ts';
import { expiredAtMeta } from '../whatsapp-statuses.ts';

interface Reported {
  readonly message: Message;
  readonly carrierMessageId: string;
  readonly report: Report;
  readonly at: Date;
  readonly price: Price | undefined;
}

export function receiptNotification(reported: Reported): string {
  const { message, carrierMessageId, report, at } = reported;
  return snsNotification(`${carrierMessageId}-${report}`, eventOf[message.channel](reported), at);
}

const eventOf: Readonly<Record<Channel, (reported: Reported) => object>> = {
  sms: smsEvent,
  whatsapp: whatsAppReceipt,
};

const smsTypes = {
  sent: { type: 'TEXT_SENT', isFinal: false },
  delivered: { type: 'TEXT_DELIVERED', isFinal: true },
  read: { type: 'TEXT_DELIVERED', isFinal: true },
  undeliverable: { type: 'TEXT_UNREACHABLE', isFinal: true },
  timed_out: { type: 'TEXT_TTL_EXPIRED', isFinal: true },
} as const satisfies Record<Report, { type: string; isFinal: boolean }>;

function smsEvent({ message, carrierMessageId, report, at, price }: Reported): object {
  const { type, isFinal } = smsTypes[report];
  const { message_id, client_id } = message;
  return {
    eventType: type,
    eventVersion: '1.0',
    eventTimestamp: at.getTime(),
    isFinal,
    originationPhoneNumber: fromOf(message) ?? 'SIMULATOR',
    destinationPhoneNumber: message.recipient,
    messageId: carrierMessageId,
    messageType: message.type.toUpperCase(),
    messageStatus: type.slice('TEXT_'.length),
    // The simulator uses the attempt's id as the carrier's message id.
    context: { message_id, client_id, attempt_id: carrierMessageId },
    totalMessageParts: message.segments ?? 1,
    ...(price === undefined ? {} : { totalMessagePrice: price.cost, totalCarrierFee: 0 }),
  };
}

const unreachableAtMeta = 131026;

const whatsAppStatuses = {
  sent: { status: 'sent' },
  delivered: { status: 'delivered' },
  read: { status: 'read' },
  undeliverable: { status: 'failed', errors: [{ code: unreachableAtMeta, title: 'Message undeliverable' }] },
  timed_out: { status: 'failed', errors: [{ code: expiredAtMeta, title: 'Message expired' }] },
} as const satisfies Record<Report, object>;

function whatsAppReceipt({ message, carrierMessageId, report, at }: Reported): object {
  const status = {
    id: `wamid.${carrierMessageId}`,
    timestamp: String(Math.floor(at.getTime() / 1000)),
    ...(isWhatsAppUserId(message.recipient)
      ? { recipient_user_id: message.recipient }
      : { recipient_id: message.recipient.slice(1) }),
    biz_opaque_callback_data: carrierMessageId,
    ...whatsAppStatuses[report],
  };
  return { ...whatsAppEvent({ statuses: [status] }, at), messageId: carrierMessageId };
}

/**
 * Returns the body of a queue message: an SNS notification that contains the event.
 *
 * @param mode - the data to which an inbound message belongs; `live` by default
 */
export function snsNotification(messageId: string, event: object, at: Date, mode?: Mode | undefined): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:simulated-receipts',
    Message: JSON.stringify(event),
    Timestamp: at.toISOString(),
    mode,
  });
}

export function whatsAppEvent(value: object, at: Date): object {
  return {
    context: { MetaWabaIds: [], MetaPhoneNumberIds: [] },
    whatsAppWebhookEntry: JSON.stringify({
      id: 'simulator',
      changes: [{ value: { messaging_product: 'whatsapp', ...value }, field: 'messages' }],
    }),
    message_timestamp: at.toISOString(),
  };
}

export type Report = 'sent' | 'delivered' | 'read' | 'undeliverable' | 'timed_out';

export interface Script {
  /** True if the carrier refuses the message at the hand-over. */
  readonly refuses?: boolean;
  /** How many hand-overs are throttled before one is accepted. */
  readonly throttles?: number;
  /** Present if they are throttled only for this recipient. */
  readonly forRecipient?: true;
  /** The receipts in their order, each sent `copies` times. */
  readonly reports: readonly Report[];
  readonly copies?: number;
  /** Returns the recipient's reply to each message. */
  readonly replies?: (text: string) => string;
  /** The seconds between two reports. With a shorter interval, the reports may leave the queue in another order. */
  readonly secondsBetween?: number;
}

const ordinary: Script = { reports: ['sent', 'delivered'] };

/** The recipients that the simulator treats in a special way; `docs/guides/testing.md` lists them. */
export const simulatedRecipients: Readonly<
  Record<string, { readonly words: string; readonly behavior: Script | Readonly<Record<Channel, Script>> }>
> = {
  '+15005550001': {
    words: 'refuses at hand-over: failed',
    behavior: { refuses: true, reports: [] },
  },
  '+15005550002': {
    words: 'sent, then undeliverable: failed',
    behavior: { reports: ['sent', 'undeliverable'] },
  },
  '+15005550003': {
    words: 'sent, then the carrier reports a time-out: expired',
    behavior: { reports: ['sent', 'timed_out'] },
  },
  '+15005550004': {
    words: 'sent, no receipt ever: expires at the end of its validity',
    behavior: { reports: [] },
  },
  '+15005550005': {
    words: 'WhatsApp: delivered, then read',
    behavior: { sms: ordinary, whatsapp: { reports: ['sent', 'delivered', 'read'] } },
  },
  '+15005550006': {
    words: 'throttles the first two hand-overs, then accepts the message',
    behavior: { ...ordinary, throttles: 2 },
  },
  '+15005550007': {
    words: 'every receipt twice, and delivered before sent',
    behavior: { reports: ['delivered', 'sent'], copies: 2, secondsBetween: 1 },
  },
  '+15005550008': {
    words: 'delivered; answers with “STOP”',
    behavior: { ...ordinary, replies: () => 'STOP' },
  },
  '+15005550009': {
    words: 'delivered; answers with the text that it got',
    behavior: { ...ordinary, replies: (text) => text },
  },
  '+15005550010': {
    words: 'gets messages too fast at the first two hand-overs, then accepts the message',
    behavior: { ...ordinary, throttles: 2, forRecipient: true },
  },
};

export function scriptFor(channel: Channel, recipient: string): Script {
  const script = simulatedRecipients[recipient]?.behavior ?? ordinary;
  return 'reports' in script ? script : script[channel];
}

/**
 * Sends receipts and replies to the receipts queue, at most ten in one call. SNS delivers real receipts to the same queue.
 */
export function sqsReceiptSender(
  client: Parameters<typeof sendMessages>[0],
  queueUrl: string,
): (
  receipts: readonly { readonly body: string; readonly delaySeconds: number }[],
  clientId: string,
) => Promise<void> {
  return (receipts, clientId) =>
    sendMessages(
      client,
      queueUrl,
      receipts.map(({ body, delaySeconds }) => ({ json: body, clientId, delaySeconds })),
    );
}

/** The default sender. */
export const simulatorNumber = '+15005550100';

interface SimulatedInbound {
  readonly channel: Channel;
  /** The recipient who replies: E.164, or the id of a WhatsApp user. */
  readonly from: string;
  /** The id of a WhatsApp user that the carrier reports with the number. */
  readonly userId?: string | undefined;
  readonly to: string;
  readonly text: string;
  readonly id: string;
  readonly at: Date;
  /** The data to which the message belongs: `live` by default. */
  readonly mode?: Mode | undefined;
  /** The carrier's id of the message to which this message replies. */
  readonly repliesTo?: string;
}

/** Returns the message id that the carrier uses in the notifications of this channel. */
export function carrierIdOf(channel: Channel, id: string): string {
  return channel === 'whatsapp' ? `wamid.${id}` : id;
}

export function inboundNotification(inbound: SimulatedInbound): string {
  return snsNotification(inbound.id, inboundEventOf[inbound.channel](inbound), inbound.at, inbound.mode);
}

const inboundEventOf: Readonly<Record<Channel, (inbound: SimulatedInbound) => object>> = {
  sms: ({ from, to, text, id, repliesTo }) => ({
    originationNumber: from,
    destinationNumber: to,
    messageKeyword: 'KEYWORD_SIMULATOR',
    messageBody: text,
    inboundMessageId: id,
    previousPublishedMessageId: repliesTo,
  }),
  whatsapp: ({ from, userId, to, text, id, at, repliesTo }) =>
    whatsAppEvent(
      {
        metadata: { display_phone_number: to.replace('+', ''), phone_number_id: 'simulator' },
        messages: [
          {
            ...(isWhatsAppUserId(from)
              ? { from_user_id: from }
              : { from: from.replace('+', ''), from_user_id: userId }),
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
