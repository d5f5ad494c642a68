/** Reads what Infobip posts: delivery reports of our messages, up to 100 together, and SMS from people. */
import * as z from 'zod/mini';
import { messageError } from '../../contract/message-error-codes.ts';
import { roundPrice } from '../../contract/prices.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { InboundMessage } from '../../message/received-content.ts';
import type { Transition } from '../../message/store/message-store.ts';
import { inboundNumber } from '../../sender/phone-number.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  type UnreadableNotification,
  unreadable,
} from '../carrier-notification.ts';
import {
  deliveredToOperator,
  duplicateMessageId,
  infobipError,
  infobipStatus,
  reasonOf,
  statusGroups,
} from './statuses.ts';

const text = z.string();
const id = text.check(z.minLength(1));

/** Such as `2026-11-26T10:00:00.000+0000`. */
const time = text.check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)$/));

/** A delivery report, and an entry of the log. */
export const report = z.object({
  /** The attempt's id. */
  messageId: id,
  status: infobipStatus,
  error: z.optional(infobipError),
  doneAt: z.optional(time),
  /** How many parts were sent; the price is that of one. */
  messageCount: z.optional(z.int().check(z.nonnegative())),
  price: z.optional(
    z.object({ pricePerMessage: z.optional(z.number().check(z.nonnegative())), currency: z.optional(text) }),
  ),
});

type Report = z.output<typeof report>;

/** E.164 has at most 15 digits. */
const number = text.check(z.regex(/^\+?\d{1,15}$/));

const received = z.object({ messageId: id, from: number, to: number, text, receivedAt: z.optional(time) });

const results = z.object({ results: z.array(z.record(text, z.unknown())) });

/** @throws UnreadableNotification where nothing in it can be read. */
export function parseInfobip({ body, receivedAt }: Reported): CarrierNotification {
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

function receiptsIn(found: Report, receivedAt: Date): Receipt[] {
  const receipt = receiptOf(found, receivedAt);
  return receipt === undefined ? [] : [receipt];
}

/** Undefined while the message is on its way. */
export function receiptOf(found: Report, receivedAt: Date): Receipt | undefined {
  const { messageId } = found;
  const transition = transitionOf(found, receivedAt);
  if (transition === undefined) return undefined;
  return {
    ...(attemptNamed(messageId) ?? {}),
    carrierMessageId: messageId,
    transition: { ...transition, carrierMessageId: messageId, ...costOf(found) },
  };
}

function transitionOf({ status, error, doneAt }: Report, receivedAt: Date): Transition | undefined {
  const at = doneAt === undefined ? receivedAt : new Date(Math.min(Date.parse(doneAt), receivedAt.getTime()));
  const { delivered, expired, undeliverable, rejected } = statusGroups;
  const { errorCode, errorMessage } = reasonOf(status, error);
  switch (status.groupId) {
    case delivered:
      return { to: status.id === deliveredToOperator ? 'sent' : 'delivered', at };
    case expired:
      return { to: 'expired', at, ...messageError('expired') };
    case undeliverable:
    case rejected:
      // A repeated request was refused, which says nothing about the first.
      if (status.id === duplicateMessageId) return undefined;
      return { to: 'failed', at, errorCode, errorMessage };
    default:
      return undefined;
  }
}

function costOf({ price, messageCount = 1 }: Report): { cost?: number; currency?: string } {
  if (price?.pricePerMessage === undefined || price.currency === undefined) return {};
  return { cost: roundPrice(price.pricePerMessage * messageCount), currency: price.currency };
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
