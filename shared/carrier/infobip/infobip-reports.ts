/**
 * Reads the callbacks of Infobip's signed subscription: delivery reports of our messages, up to 100 together, and inbound SMS.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { inboundNumber } from '../../contract/phone-number.ts';
import type { Receipt } from '../../message/dispatch/receipt-decisions.ts';
import type { InboundMessage } from '../../message/whatsapp-content.ts';
import type { CarrierReports } from '../carrier-module.ts';
import {
  type CarrierNotification,
  hasField,
  jsonOf,
  type Reported,
  read,
  type UnreadableNotification,
  unreadable,
} from '../carrier-notification.ts';
import { type InfobipCredentials, infobipCredentials, infobipDescriptor } from './infobip-descriptor.ts';
import { infobipTime, receiptOf, report, timeNamed } from './infobip-statuses.ts';

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

const results = z.object({ results: z.array(z.unknown()) });

/** @throws UnreadableNotification if no part of the callback can be read. */
function parseInfobip({ body, receivedAt }: Reported): CarrierNotification {
  const receipts: Receipt[] = [];
  const inbound: InboundMessage[] = [];
  const faults: UnreadableNotification[] = [];
  for (const result of read(results, jsonOf(body, 'the body'), 'the callback').results) {
    try {
      if (hasField(result, 'status')) {
        const receipt = receiptOf(read(report, result, 'a report'), receivedAt);
        if (receipt !== undefined) receipts.push(receipt);
      } else inbound.push(inboundOf(read(received, result, 'a message'), receivedAt));
    } catch (cause) {
      faults.push(unreadable('a result', cause));
    }
  }
  return { receipts, inbound, unreadable: faults };
}

function inboundOf(sms: z.output<typeof received>, receivedAt: Date): InboundMessage {
  return {
    channel: 'sms',
    carrierMessageId: sms.messageId,
    person: inboundNumber(sms.from),
    number: inboundNumber(sms.to),
    // Infobip sends several texts in one callback, and repeats callbacks.
    receivedAt: timeNamed(sms.receivedAt, receivedAt),
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

/**
 * True if a callback comes from Infobip, whose subscription signs the raw body with HMAC-SHA256 and our secret key
 * (https://www.infobip.com/docs/api/platform/subscriptions-api). Infobip does not document which header contains the
 * signature, so every header is tried. This is safe, because only the owner of the key can sign.
 */
function isSignedByInfobip(headers: Readonly<Record<string, string>>, body: Buffer, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  return Object.values(headers).some((value) => {
    const given = signatureIn(value);
    return given !== undefined && timingSafeEqual(given, expected);
  });
}

/** Returns the 32 bytes of a signature in hexadecimal or base64, with or without `sha256=`; otherwise undefined. */
function signatureIn(value: string): Buffer | undefined {
  const text = value.replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
