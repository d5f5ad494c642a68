/**
 * What Twilio reports: the status of a message, at an address that has the attempt's id, and messages from people, at the
 * address `inbound`. A text of several parts has one status for all of them.
 */
import * as z from 'zod/mini';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { InboundMessage } from '../../message/received-content.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { inboundNumber } from '../../sender/phone-number.ts';
import type { CarrierReports } from '../carrier-module.ts';
import { type Reported, read, UnreadableNotification } from '../carrier-notification.ts';
import { type TwilioCredentials, twilioCredentials } from './credentials.ts';
import { twilioDescriptor } from './descriptor.ts';
import { isSignedBy } from './signature.ts';
import { outcomeOfStatus } from './statuses.ts';

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

/** The account that a callback names. */
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
      ...withoutUndefined({ from: From }),
      transition: { ...outcome, at: receivedAt, carrierMessageId: MessageSid },
    },
  ];
}

function inboundOf(fields: unknown, { receivedAt }: Reported): InboundMessage {
  const { MessageSid, From, To, Body } = read(inboundFields, fields, 'the inbound SMS');
  return {
    channel: 'sms',
    carrierMessageId: MessageSid,
    person: inboundNumber(From),
    number: inboundNumber(To),
    receivedAt,
    text: Body,
  };
}
