/** Describes the result of a message in a sentence for the customer. */

import { messageOfErrorCode } from '../../shared/contract/message-error-codes.ts';
import type { Status } from '../../shared/message/message.ts';
import type { FoundMessage } from '../../shared/message/message-summary.ts';

/** @param messages - the newest first */
export function forCustomer([newest]: readonly FoundMessage[]): readonly string[] {
  return newest === undefined ? [] : [`For the customer: ${customerSentence(newest)}`];
}

/**
 * Returns a sentence about the result of a message that support can send to a customer unchanged. Times are in UTC and say so,
 * because the customer may be in another time zone.
 */
export function customerSentence(message: FoundMessage): string {
  const { channel, direction, recipient, from, created_at } = message;
  const kind = channel === 'sms' ? 'SMS' : 'WhatsApp message';
  if (direction === 'inbound')
    return `The ${kind} from ${from ?? 'unknown'} arrived at ${momentText(created_at)}.`;
  return `The ${kind} to ${recipient}, accepted at ${momentText(created_at)}, ${outcomes[message.status](message)}.`;
}

const outcomes: Readonly<Record<Status, (message: FoundMessage) => string>> = {
  scheduled: ({ scheduled_at }) => `will be sent${atTime(scheduled_at)}`,
  queued: () => 'is waiting to be sent',
  sending: () => 'is being handed to the mobile network',
  sent: ({ sent_at }) =>
    `was handed to the mobile network${atTime(sent_at)}, which has not confirmed its delivery yet`,
  delivered: ({ delivered_at }) => `was delivered${atTime(delivered_at)}`,
  read: ({ read_at }) => `was delivered, and read${atTime(read_at)}`,
  failed: ({ error }) => `was not delivered${reasonOf(error)}`,
  expired: ({ error }) => `was not confirmed as delivered in time${reasonOf(error)}`,
  canceled: () => 'was canceled before it was sent',
  received: () => 'arrived',
};

function atTime(time: string | null): string {
  return time === null ? '' : ` at ${momentText(time)}`;
}

/** Returns the text of an error code as a part of a sentence. */
function reasonOf(error: FoundMessage['error']): string {
  const sentence = error === null ? null : (error.message ?? messageOfErrorCode(error.code));
  if (sentence === null) return '';
  return `: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

/** `2026-11-20 10:00 UTC` */
function momentText(time: string): string {
  return `${time.slice(0, 'yyyy-mm-dd'.length)} ${time.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length)} UTC`;
}
