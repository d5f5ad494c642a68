/** Writes what the simulated carrier reports of a message in the form in which AWS publishes it. */
import type { Channel } from '../../contract/channels.ts';
import { fromOf, type Message } from '../../message/message.ts';
import type { Price } from '../../price/prices.ts';
import { expiredAtMeta } from '../aws/whatsapp-receipts.ts';
import type { Report } from './recipient-scripts.ts';
import { snsNotification, whatsAppEvent } from './simulated-notification.ts';

interface Reported {
  readonly message: Pick<
    Message,
    'message_id' | 'client_id' | 'channel' | 'recipient' | 'from' | 'sender' | 'type' | 'segments'
  >;
  readonly carrierMessageId: string;
  readonly report: Report;
  readonly at: Date;
  readonly price: Price | undefined;
}

/** The body of the queue message. */
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
    context: { message_id: message.message_id, client_id: message.client_id },
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
    recipient_id: message.recipient.slice(1),
    biz_opaque_callback_data: message.message_id,
    ...whatsAppStatuses[report],
  };
  return { ...whatsAppEvent({ statuses: [status] }, at), messageId: carrierMessageId };
}
