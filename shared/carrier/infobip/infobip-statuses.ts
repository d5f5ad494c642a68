/**
 * Maps Infobip's statuses and errors to the gateway's. Also reads delivery reports, from callbacks and from Infobip's log.
 * Statuses and errors are numbers, and one number can mean both a status and an error
 * (https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes).
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { type Price, reportedPrice } from '../../contract/prices.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/receipt-decisions.ts';
import type { Transition } from '../../message/store/message-row.ts';
import { type VendorErrors, vendorErrors } from '../carrier-module.ts';

export const infobipStatus = z.object({ groupId: z.int(), id: z.int() });

/** The error that explains the status; 0 means no error. */
const infobipError = z.object({ id: z.int() });

export const statusGroups = { pending: 1, undeliverable: 2, delivered: 3, expired: 4, rejected: 5 } as const;

/**
 * `REJECTED_DUPLICATE_MESSAGE_ID`: Infobip accepted an earlier request with this `messageId`, so this request sends
 * nothing.
 */
export const duplicateMessageId = 23;

/** `DELIVERED_TO_OPERATOR`: a report from the recipient's phone can follow. */
const deliveredToOperator = 2;

/** The message error code for each `status ID` and `error ID`. If a report contains both, the error id is more exact. */
export const infobipErrors: VendorErrors = {
  ...vendorErrors(
    {
      carrier_rejected: [4],
      invalid_recipient: [8, 51, 52],
      unreachable: [9],
      carrier_blocked: [10, 14, 87],
      carrier_throttled: [20],
      content_rejected: [24, 25],
    },
    {
      country_not_supported: [6, 19],
      sender_rejected: [11, 13],
      spend_limit_reached: [12, 17],
      invalid_recipient: [18],
      carrier_rejected: [21, 100],
    },
    (id) => `status ${id}`,
  ),
  ...vendorErrors(
    {
      invalid_recipient: [1, 9, 11, 351, 352, 568, 629, 3041],
      unreachable: [5, 6, 8, 13, 27, 31, 32, 256, 502, 569, 628],
      content_rejected: [355, 561, 607, 2051],
      sender_rejected: [368, 375, 562, 563, 564, 2053],
      carrier_throttled: [541, 542, 609, 4103, 4104, 4202, 5492],
      carrier_blocked: [560, 566, 608, 2050, 2052],
      recipient_opted_out: [573, 603],
      spend_limit_reached: [4099],
    },
    {},
    (id) => `error ${id}`,
  ),
};

/** Returns the reason why a message was not delivered. */
export function reasonOf(
  status: z.output<typeof infobipStatus>,
  error?: z.output<typeof infobipError>,
): { readonly errorCode: MessageErrorCode; readonly errorMessage: string; readonly elsewhere: boolean } {
  const { code, elsewhere = false } = infobipErrors[`error ${error?.id}`] ??
    infobipErrors[`status ${status.id}`] ?? { code: 'carrier_rejected' as const };
  return { ...messageError(code), elsewhere };
}

const text = z.string();
const id = text.check(z.minLength(1));

/** Returns the time in Infobip's report if it is valid and before the callback. */
export function timeNamed(named: string | undefined, receivedAt: Date): Date {
  const namedMs = Date.parse(named ?? '');
  return namedMs < receivedAt.getTime() ? new Date(namedMs) : receivedAt;
}

/** A time such as `2026-11-26T10:00:00.000+0000`. */
export const infobipTime = text.check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)$/));

/** The form of a delivery report and of an entry of the log. */
export const report = z.object({
  messageId: id,
  status: infobipStatus,
  error: z.optional(infobipError),
  doneAt: z.optional(infobipTime),
  /** The price is parsed separately, so that an invalid price does not delay the state. */
  messageCount: z.optional(z.unknown()),
  price: z.optional(z.unknown()),
});

const reportedCost = z.object({
  price: z.object({ pricePerMessage: z.number(), currency: text }),
  /** The number of sent parts; the price is for one part. */
  messageCount: z.optional(z.int()),
});

/** Returns the receipt; undefined while the message is on its way. */
export function receiptOf(found: z.output<typeof report>, receivedAt: Date): Receipt | undefined {
  const { messageId } = found;
  const named = attemptNamed(messageId);
  const transition = transitionOf(found, receivedAt);
  if (transition === undefined) return undefined;
  return {
    // An id without an attempt number does not come from the gateway.
    ...(named?.attempt === undefined ? {} : named),
    carrierMessageId: messageId,
    transition: { ...transition, carrierMessageId: messageId, ...costOf(found) },
  };
}

function transitionOf(
  { status, error, doneAt }: z.output<typeof report>,
  receivedAt: Date,
): Transition | undefined {
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
      // Infobip refused a repeated request, which does not show the result of the first request.
      if (status.id === duplicateMessageId) return undefined;
      return { to: 'failed', at, errorCode, errorMessage };
    default:
      return undefined;
  }
}

function costOf(found: z.output<typeof report>): Partial<Price> {
  const { success, data } = reportedCost.safeParse(found);
  return success
    ? reportedPrice(data.price.pricePerMessage * (data.messageCount ?? 1), data.price.currency)
    : {};
}
