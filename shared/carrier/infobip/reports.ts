/**
 * What Infobip posts, by a subscription that it signs: delivery reports of our messages, up to 100 together, and SMS from
 * people.
 */
import * as z from 'zod/mini';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { InboundMessage } from '../../message/received-content.ts';
import { inboundNumber } from '../../sender/phone-number.ts';
import type { CarrierReports } from '../carrier-module.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  type UnreadableNotification,
  unreadable,
} from '../carrier-notification.ts';
import { type InfobipCredentials, infobipCredentials } from './credentials.ts';
import { infobipTime, receiptOf, report } from './delivery-reports.ts';
import { infobipDescriptor } from './descriptor.ts';
import { isSignedByInfobip } from './signature.ts';

const text = z.string();
const id = text.check(z.minLength(1));

/** E.164 has at most 15 digits. */
const number = text.check(z.regex(/^\+?\d{1,15}$/));

const received = z.object({
  messageId: id,
  from: number,
  to: number,
  text,
  receivedAt: z.optional(infobipTime),
});

const results = z.object({ results: z.array(z.record(text, z.unknown())) });

/** @throws UnreadableNotification where nothing in it can be read. */
function parseInfobip({ body, receivedAt }: Reported): CarrierNotification {
  const receipts: Receipt[] = [];
  const inbound: InboundMessage[] = [];
  const faults: UnreadableNotification[] = [];
  for (const result of read(results, jsonOf(body, 'the body'), 'the callback').results) {
    try {
      if ('status' in result) receipts.push(...receiptsIn(read(report, result, 'a report'), receivedAt));
      else inbound.push(inboundOf(read(received, result, 'a message'), receivedAt));
    } catch (cause) {
      faults.push(unreadable('a result', cause));
    }
  }
  return { receipts, inbound, unreadable: faults };
}

function receiptsIn(found: z.output<typeof report>, receivedAt: Date): Receipt[] {
  const receipt = receiptOf(found, receivedAt);
  return receipt === undefined ? [] : [receipt];
}

function inboundOf(sms: z.output<typeof received>, receivedAt: Date): InboundMessage {
  return {
    channel: 'sms',
    carrierMessageId: sms.messageId,
    person: inboundNumber(sms.from),
    number: inboundNumber(sms.to),
    receivedAt,
    text: sms.text,
  };
}

export const infobipReports: CarrierReports<InfobipCredentials> = {
  descriptor: infobipDescriptor,
  callbacks: {
    credentials: infobipCredentials,
    verify: ({ headers, body }, credentials) =>
      credentials.some(({ webhook_secret }) => isSignedByInfobip(headers, body, webhook_secret)),
  },
  parse: parseInfobip,
};
