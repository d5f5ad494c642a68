/**
 * Reads Twilio's callbacks. A status callback has the attempt's id in its URL, and an inbound message the path `inbound`. A
 * text of several parts has one status.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { inboundNumber } from '../../contract/phone-number.ts';
import { isWhatsAppUserId } from '../../contract/recipient-forms.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/receipt-decisions.ts';
import type { InboundMessage } from '../../message/whatsapp-content.ts';
import type { CallbackRequest, CarrierReports } from '../carrier-module.ts';
import { type Reported, read, UnreadableNotification } from '../carrier-notification.ts';
import { type TwilioCredentials, twilioCredentials, twilioDescriptor } from './twilio-descriptor.ts';
import { outcomeOfStatus } from './twilio-statuses.ts';

const text = z.string().check(z.minLength(1));

const statusFields = z.object({
  MessageSid: text,
  MessageStatus: text,
  ErrorCode: z.optional(z.string()),
  From: z.optional(z.string()),
});

const inboundFields = z.object({
  MessageSid: text,
  From: text,
  To: text,
  Body: z.string(),
  ExternalUserId: z.optional(z.string()),
});

const receiptsPath = 'receipts/';

export const twilioReports: CarrierReports<TwilioCredentials> = {
  descriptor: twilioDescriptor,
  callbacks: {
    credentials: twilioCredentials,
    verify: (request, credentials) =>
      request.method === 'POST' &&
      credentials.some(
        ({ account_sid, auth_token }) =>
          accountsIn(request.body).every((account) => account === account_sid) &&
          isSignedBy(auth_token, request),
      ),
  },
  parse(reported) {
    const fields = Object.fromEntries(new URLSearchParams(reported.body.toWellFormed()));
    if (reported.path === 'inbound')
      return { receipts: [], inbound: [inboundOf(fields, reported)], unreadable: [] };
    return { receipts: receiptsOf(fields, reported), inbound: [], unreadable: [] };
  },
};

function accountsIn(body: Buffer): string[] {
  return new URLSearchParams(body.toString('utf8')).getAll('AccountSid');
}

function receiptsOf(fields: unknown, { path, receivedAt }: Reported): Receipt[] {
  const attempt = path.startsWith(receiptsPath) ? attemptNamed(path.slice(receiptsPath.length)) : undefined;
  if (attempt === undefined) throw new UnreadableNotification('the address of the callback names no attempt');
  const { MessageSid, MessageStatus, ErrorCode = '', From } = read(statusFields, fields, 'the status');
  const outcome = outcomeOfStatus(MessageStatus, ErrorCode);
  if (outcome === undefined) return [];
  return [
    {
      ...attempt,
      carrierMessageId: MessageSid,
      // The number that a Messaging Service chose.
      from: From,
      transition: { ...outcome, at: receivedAt, carrierMessageId: MessageSid },
    },
  ];
}

function inboundOf(fields: unknown, { receivedAt }: Reported): InboundMessage {
  const { MessageSid, From, To, Body, ExternalUserId = '' } = read(inboundFields, fields, 'the inbound SMS');
  // A Messaging Service can also contain WhatsApp senders.
  const [from = '', user = ''] = [From, ExternalUserId].map((name) => name.replace(/^whatsapp:/, ''));
  return {
    channel: 'sms',
    carrierMessageId: MessageSid,
    person: isWhatsAppUserId(from) ? from : inboundNumber(From),
    user: [from, user].find(isWhatsAppUserId),
    number: inboundNumber(To),
    receivedAt,
    text: Body,
  };
}

/**
 * Verifies `X-Twilio-Signature`, as in Twilio's "Validating requests are coming from Twilio": the HMAC of the URL and the
 * sorted form fields. If the body is not a form, the HMAC is of the URL, in which `bodySHA256` is the hash of the body.
 */
export function isSignedBy(authToken: string, request: CallbackRequest): boolean {
  const given = request.headers['x-twilio-signature'];
  if (given === undefined) return false;
  const { bodySHA256 } = request.query;
  if (bodySHA256 !== undefined && createHash('sha256').update(request.body).digest('hex') !== bodySHA256)
    return false;
  const fields = bodySHA256 === undefined ? fieldsText(request.body.toString('utf8')) : '';
  return addressesOf(request.url).some((url) => isEqual(given, signatureOf(authToken, url + fields)));
}

function signatureOf(authToken: string, text: string): string {
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/**
 * Returns the fields' names and values, sorted by name. If a name occurs several times, each different value occurs once,
 * sorted.
 */
function fieldsText(body: string): string {
  // Each field is read only once, because an attacker may send very many fields.
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, new Set([value]));
    else known.add(value);
  }
  return [...values]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, given]) => [...given].sort().map((value) => name + value))
    .join('');
}

/** Twilio may sign the URL with or without its port. */
function addressesOf(url: string): string[] {
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/s.exec(url) ?? [];
  const [name = '', port] = host.split(':');
  const usualPort = scheme === 'https' ? '443' : '80';
  return [url, `${scheme}://${name}${port === undefined ? `:${usualPort}` : ''}${rest}`];
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
