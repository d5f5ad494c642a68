/**
 * Reads the statuses of Meta's webhook entry. They arrive in any order, and the transition table decides which of them
 * change a message.
 */

import * as z from 'zod/mini';
import { messageError } from '../contract/message-error-codes.ts';
import { inboundNumber } from '../contract/phone-number.ts';
import { e164, isWhatsAppUserId } from '../contract/recipient-forms.ts';
import { attemptNamed } from '../message/dispatch/carrier.ts';
import type { Receipt } from '../message/dispatch/receipt-decisions.ts';
import type { Transition } from '../message/store/message-row.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import { vendorErrors } from './carrier-module.ts';

/**
 * Meta's error codes in responses and statuses
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes). A code that is not listed
 * becomes `carrier_rejected`.
 */
export const whatsAppErrors = vendorErrors(
  {
    content_rejected: [100, 131008, 131009, 131051],
    carrier_throttled: [130429, 131056],
    carrier_blocked: [130472, 131049],
    invalid_recipient: [131021, 131062],
    unreachable: [131026],
    template_required: [131047],
    recipient_opted_out: [131050],
    media_rejected: [131052, 131053],
    template_rejected: [132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068, 132069],
  },
  {
    sender_rejected: [33, 131037, 131045, 133010],
    carrier_rejected: [368, 131031],
    country_not_supported: [130497],
    invalid_recipient: [131030],
    spend_limit_reached: [131042],
    carrier_throttled: [131048],
  },
);

/** The end of the year 9999. A larger number is a time in milliseconds, and is refused. */
const maxEpochSeconds = 253_402_300_799;

/** Seconds since the epoch. Meta documents a string. */
export const epochSecondsText = z.coerce.number().check(z.int(), z.positive(), z.maximum(maxEpochSeconds));

export const whatsAppStatus = z.object({
  id: z.string().check(z.minLength(1)),
  status: z.string(),
  timestamp: epochSecondsText,
  biz_opaque_callback_data: z.optional(z.string().check(z.minLength(1))),
  recipient_id: z.nullish(z.string()),
  recipient_user_id: z.nullish(z.string()),
  errors: z.optional(z.array(z.object({ code: z.int() }))),
});

const reached = ['sent', 'delivered', 'read'] as const;

/**
 * If the status contains the attempt's id, returns one receipt with this id. Otherwise returns one receipt for each id that
 * the hand-over may have returned: the carrier's own id and Meta's. A receipt with an unknown id changes nothing.
 */
export function receiptsOfStatus(
  reported: z.output<typeof whatsAppStatus>,
  source: {
    /** When Meta's call arrived, as ISO 8601. */
    readonly receivedAt: string;
    /** The number that received or sent the message, as a send request names it. */
    readonly from: string | undefined;
    /** The id that the hand-over returned for the message; undefined if the carrier does not name it. */
    readonly carrierMessageId: string | undefined;
  },
): Receipt[] {
  const transition = transitionOf(reported, source.receivedAt);
  if (transition === undefined) return [];
  const number = reported.recipient_id ?? '';
  const user = reported.recipient_user_id ?? '';
  const isUser = isWhatsAppUserId(user);
  const named = withoutUndefined({
    from: source.from,
    whatsAppUser: isUser ? user : undefined,
    number: isUser && e164.test(`+${number}`) ? inboundNumber(number) : undefined,
  });
  const { carrierMessageId } = source;
  const own = reported.biz_opaque_callback_data;
  if (own !== undefined)
    return [
      {
        ...(attemptNamed(own) ?? { messageId: own }),
        // Meta's hand-over returned this id. AWS's hand-over returned an id of AWS, so the id in Meta's status is not
        // compared with the stored one.
        ...(carrierMessageId === reported.id ? { carrierMessageId } : {}),
        transition: { ...transition, ...withoutUndefined({ carrierMessageId }) },
        ...named,
      },
    ];
  return [...new Set([carrierMessageId ?? reported.id, reported.id])].map((id) => ({
    carrierMessageId: id,
    transition,
    ...named,
  }));
}

/** Statuses other than these four (`deleted`, `warning`, `played`) change nothing. */
function transitionOf(reported: z.output<typeof whatsAppStatus>, receivedAt: string): Transition | undefined {
  const at = momentIn(reported.timestamp, receivedAt);
  const to = reached.find((name) => name === reported.status);
  if (to !== undefined) return { to, at };
  if (reported.status !== 'failed') return undefined;
  const code = reported.errors?.[0]?.code;
  if (code === expiredAtMeta) return { to: 'expired', at, ...messageError('expired') };
  const ours = code === undefined ? 'unknown' : (whatsAppErrors[code]?.code ?? 'carrier_rejected');
  return { to: 'failed', at, ...messageError(ours) };
}

/** Meta's error "Message expired". */
export const expiredAtMeta = 410;

/** If a carrier's time is ahead of the gateway's clock by more than this, it is ignored. */
export const clocksDifferMaxMs = 60_000;

/**
 * Returns a time within the second that Meta names: the time of receipt, if it is in that second; otherwise the end of the
 * second, because the start may be earlier than the event. A second that is more than a minute ahead of the gateway's clock
 * is ignored: the newest opt-out or opt-in counts, so neither may be in the future.
 *
 * @param receivedAt - ISO 8601, to the nanosecond
 */
export function momentIn(epochSeconds: number, receivedAt: string): Date {
  const start = epochSeconds * 1000;
  const end = start + 999;
  const received = Date.parse(receivedAt);
  if (Number.isNaN(received)) return new Date(end);
  return new Date(start - received > clocksDifferMaxMs ? received : Math.max(start, Math.min(end, received)));
}
