/**
 * What Infobip's statuses and errors mean for a message. Both are numbers; one number can be a status and an error
 * (https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes). Reads a delivery report, posted or
 * of the log.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { type Price, reportedPrice } from '../../contract/prices.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { Transition } from '../../message/store/message-store.ts';
import type { VendorErrors } from '../carrier-module.ts';

export const infobipStatus = z.object({ groupId: z.int(), id: z.int() });

/** The reason beside the status; 0 is none. */
const infobipError = z.object({ id: z.int() });

type InfobipStatus = z.output<typeof infobipStatus>;

export const statusGroups = { pending: 1, undeliverable: 2, delivered: 3, expired: 4, rejected: 5 } as const;

/** `REJECTED_DUPLICATE_MESSAGE_ID`: an earlier request with this `messageId` was taken, and this one sends nothing. */
export const duplicateMessageId = 23;

/** `DELIVERED_TO_OPERATOR`, which a report from the handset can follow. */
const deliveredToOperator = 2;

/** The codes by `status ID` and `error ID`; in a report the error is more exact than the status. */
export const infobipErrors: VendorErrors = {
  'status 4': { code: 'carrier_rejected' },
  'status 6': { code: 'country_not_supported', elsewhere: true },
  'status 8': { code: 'invalid_recipient' },
  'status 9': { code: 'unreachable' },
  'status 10': { code: 'carrier_blocked' },
  'status 11': { code: 'sender_rejected', elsewhere: true },
  'status 12': { code: 'spend_limit_reached', elsewhere: true },
  'status 13': { code: 'sender_rejected', elsewhere: true },
  'status 14': { code: 'carrier_blocked' },
  'status 17': { code: 'spend_limit_reached', elsewhere: true },
  'status 18': { code: 'invalid_recipient', elsewhere: true },
  'status 19': { code: 'country_not_supported', elsewhere: true },
  'status 20': { code: 'carrier_throttled' },
  'status 21': { code: 'carrier_rejected', elsewhere: true },
  'status 24': { code: 'content_rejected' },
  'status 25': { code: 'content_rejected' },
  'status 51': { code: 'invalid_recipient' },
  'status 52': { code: 'invalid_recipient' },
  'status 87': { code: 'carrier_blocked' },
  'status 100': { code: 'carrier_rejected', elsewhere: true },
  'error 1': { code: 'invalid_recipient' },
  'error 5': { code: 'unreachable' },
  'error 6': { code: 'unreachable' },
  'error 8': { code: 'unreachable' },
  'error 9': { code: 'invalid_recipient' },
  'error 11': { code: 'invalid_recipient' },
  'error 13': { code: 'unreachable' },
  'error 27': { code: 'unreachable' },
  'error 31': { code: 'unreachable' },
  'error 32': { code: 'unreachable' },
  'error 256': { code: 'unreachable' },
  'error 351': { code: 'invalid_recipient' },
  'error 352': { code: 'invalid_recipient' },
  'error 355': { code: 'content_rejected' },
  'error 368': { code: 'sender_rejected' },
  'error 375': { code: 'sender_rejected' },
  'error 502': { code: 'unreachable' },
  'error 541': { code: 'carrier_throttled' },
  'error 542': { code: 'carrier_throttled' },
  'error 560': { code: 'carrier_blocked' },
  'error 561': { code: 'content_rejected' },
  'error 562': { code: 'sender_rejected' },
  'error 563': { code: 'sender_rejected' },
  'error 564': { code: 'sender_rejected' },
  'error 566': { code: 'carrier_blocked' },
  'error 568': { code: 'invalid_recipient' },
  'error 569': { code: 'unreachable' },
  'error 573': { code: 'recipient_opted_out' },
  'error 603': { code: 'recipient_opted_out' },
  'error 607': { code: 'content_rejected' },
  'error 608': { code: 'carrier_blocked' },
  'error 609': { code: 'carrier_throttled' },
  'error 628': { code: 'unreachable' },
  'error 629': { code: 'invalid_recipient' },
  'error 2050': { code: 'carrier_blocked' },
  'error 2051': { code: 'content_rejected' },
  'error 2052': { code: 'carrier_blocked' },
  'error 2053': { code: 'sender_rejected' },
  'error 3041': { code: 'invalid_recipient' },
  'error 4099': { code: 'spend_limit_reached' },
  'error 4103': { code: 'carrier_throttled' },
  'error 4104': { code: 'carrier_throttled' },
  'error 4202': { code: 'carrier_throttled' },
  'error 5492': { code: 'carrier_throttled' },
};

/** Why a message was not delivered, and whether another carrier may take it. */
export function reasonOf(
  status: InfobipStatus,
  error?: z.output<typeof infobipError>,
): { readonly errorCode: MessageErrorCode; readonly errorMessage: string; readonly elsewhere: boolean } {
  const { code, elsewhere = false } = infobipErrors[`error ${error?.id}`] ??
    infobipErrors[`status ${status.id}`] ?? { code: 'carrier_rejected' as const };
  return { ...messageError(code), elsewhere };
}

const text = z.string();
const id = text.check(z.minLength(1));

/** The time that Infobip names, if it is one of before the callback: a thirteenth month has the form of a time, and is none. */
export function timeNamed(named: string | undefined, receivedAt: Date): Date {
  const namedMs = Date.parse(named ?? '');
  return namedMs < receivedAt.getTime() ? new Date(namedMs) : receivedAt;
}

/** A time such as `2026-11-26T10:00:00.000+0000`. */
export const infobipTime = text.check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)$/));

/** A delivery report, and an entry of the log. */
export const report = z.object({
  messageId: id,
  status: infobipStatus,
  error: z.optional(infobipError),
  doneAt: z.optional(infobipTime),
  /** These are read separately, so that a price which is none does not hold the state back. */
  messageCount: z.optional(z.unknown()),
  price: z.optional(z.unknown()),
});

const reportedCost = z.object({
  price: z.object({ pricePerMessage: z.number(), currency: text }),
  /** How many parts were sent; the price is that of one. */
  messageCount: z.optional(z.int()),
});

type Report = z.output<typeof report>;

/** Undefined while the message is on its way. */
export function receiptOf(found: Report, receivedAt: Date): Receipt | undefined {
  const { messageId } = found;
  const named = attemptNamed(messageId);
  const transition = transitionOf(found, receivedAt);
  if (transition === undefined) return undefined;
  return {
    // An id without the number of an attempt is not one that we gave.
    ...(named?.attempt === undefined ? {} : named),
    carrierMessageId: messageId,
    transition: { ...transition, carrierMessageId: messageId, ...costOf(found) },
  };
}

function transitionOf({ status, error, doneAt }: Report, receivedAt: Date): Transition | undefined {
  const at = timeNamed(doneAt, receivedAt);
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

function costOf(found: Report): Partial<Price> {
  const { success, data } = reportedCost.safeParse(found);
  return success
    ? reportedPrice(data.price.pricePerMessage * (data.messageCount ?? 1), data.price.currency)
    : {};
}
