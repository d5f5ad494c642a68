/** For each function an event for every number: no two the same, some of them at fault. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { receiptNotification } from '../../shared/carrier/simulator/simulated-recipients.ts';
import type { Message } from '../../shared/message/message.ts';
import { messageRowOf } from '../../shared/message/store/message-store.ts';
import { deliveryOf, idOf, messageOf, type RowSettings } from './canned-rows.ts';
import { type EventMaker, type EventSettings, httpEvents } from './http-events.ts';

export function eventMakers(settings: EventSettings): Readonly<Record<string, EventMaker>> {
  return { ...httpEvents(settings), ...otherEvents(settings) };
}

function otherEvents(settings: EventSettings): Record<string, EventMaker> {
  const queue = (bodyOf: (n: number) => string): EventMaker => {
    return (n) => ({ Records: [queueRecord(n, bodyOf(n))] });
  };
  return {
    'dispatch-message': queue((n) => JSON.stringify({ message_id: idOf('msg', n) })),
    'deliver-webhook': queue((n) => {
      const delivery = deliveryOf(n, settings);
      // A first attempt brings the delivery along; a later one finds its row.
      return JSON.stringify({ delivery_id: delivery.delivery_id, ...(n % 3 === 0 ? {} : { delivery }) });
    }),
    'record-receipt': queue((n) =>
      // One in a hundred is in no form that a carrier has.
      n % 100 === 99
        ? JSON.stringify({ Type: 'Notification', Message: `{"number":${n}}` })
        : receiptNotification({
            message: messageOf(n, settings),
            carrierMessageId: `carrier-${n}`,
            report: n % 5 === 0 ? 'undeliverable' : 'delivered',
            at: new Date(),
            price: undefined,
          }),
    ),
    'relay-changes': (n) => ({ Records: [streamRecord(n, settings)] }),
    'count-usage': (n) => ({ Records: [streamRecord(n, settings)] }),
    'report-verified': (n) => ({ Records: [verifiedRecord(n)] }),
    'expire-messages': () => ({}),
    'sweep-webhooks': () => ({}),
    'review-edited-rows': () => ({}),
  };
}

/** A one-time password whose message is not found, so that nothing is reported. */
function verifiedRecord(number: number): unknown {
  const row = {
    otp_id: idOf('otp', number),
    client_id: 'client_1',
    recipient: '+447700900123',
    message_id: 'msg_unknown',
    channel: 'sms',
    status: 'verified',
  };
  return {
    eventID: `event-${number}`,
    dynamodb: { Keys: marshall({ otp_id: row.otp_id }), NewImage: marshall(row) },
  };
}

function queueRecord(number: number, body: string): unknown {
  return {
    messageId: `queue-message-${number}`,
    receiptHandle: `handle-${number}`,
    body,
    attributes: { ApproximateReceiveCount: '1' },
    // One delivery in eight comes by the slow lane.
    eventSourceARN: process.env[number % 8 === 0 ? 'SLOW_WEBHOOKS_QUEUE_ARN' : 'WEBHOOKS_QUEUE_ARN'],
  };
}

/** A message in turn made, scheduled, sent or delivered; one record in a hundred is no message. */
function streamRecord(number: number, settings: RowSettings): unknown {
  const now = new Date().toISOString();
  const image = (change: Partial<Message>) =>
    marshall(messageRowOf(messageOf(number, settings, change), 30), { removeUndefinedValues: true });
  const sent = { status: 'sent', sending_at: now, sent_at: now } as const;
  const images =
    [
      { NewImage: image({}) },
      {
        NewImage: image({
          status: 'scheduled',
          scheduled_at: new Date(Date.now() + 7_200_000).toISOString(),
        }),
      },
      { OldImage: image({ status: 'sending', sending_at: now }), NewImage: image(sent) },
      { OldImage: image(sent), NewImage: image({ ...sent, status: 'delivered', delivered_at: now }) },
    ][Math.floor(number / 4) % 4] ?? {};
  const unreadable = { NewImage: { message_id: { S: idOf('msg', number) } } };
  return {
    eventID: `event-${number}`,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      ...(number % 100 === 99 ? unreadable : images),
    },
  };
}
