/** Reads a delivery report of Infobip, posted or of its log. */
import * as z from 'zod/mini';
import { messageError } from '../../contract/message-error-codes.ts';
import { roundPrice } from '../../contract/prices.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { Transition } from '../../message/store/message-store.ts';
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
export const infobipTime = text.check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)$/));

/** A delivery report, and an entry of the log. */
export const report = z.object({
  /** The attempt's id. */
  messageId: id,
  status: infobipStatus,
  error: z.optional(infobipError),
  doneAt: z.optional(infobipTime),
  /** How many parts were sent; the price is that of one. */
  messageCount: z.optional(z.int().check(z.nonnegative())),
  price: z.optional(
    z.object({ pricePerMessage: z.optional(z.number().check(z.nonnegative())), currency: z.optional(text) }),
  ),
});

type Report = z.output<typeof report>;

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
