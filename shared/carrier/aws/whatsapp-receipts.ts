/**
 * Reads the event that AWS End User Messaging Social publishes for a WhatsApp message: Meta's webhook entry as
 * a string inside an AWS event. Statuses come in any order; the transition table decides which of them count.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { Transition } from '../../message/store/message-store.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';

export const whatsAppEvent = z.object({
  whatsAppWebhookEntry: z.string(),
  /** The time at which AWS received Meta's call, to the nanosecond. */
  message_timestamp: z.optional(z.string()),
  context: z.optional(
    z.object({
      MetaPhoneNumberIds: z.optional(z.array(z.object({ metaPhoneNumberId: z.string(), arn: z.string() }))),
    }),
  ),
  /** The id that AWS gave the message. */
  messageId: z.optional(z.string().check(z.minLength(1))),
});

type WhatsAppEvent = z.output<typeof whatsAppEvent>;

/** The end of the year 9999: refuses a time in milliseconds. */
const maxEpochSeconds = 253_402_300_799;

/** Seconds since the epoch: documented as a string. */
export const epochSecondsText = z.coerce.number().check(z.int(), z.positive(), z.maximum(maxEpochSeconds));

const status = z.object({
  /** Meta's id (`wamid.…`). */
  id: z.string().check(z.minLength(1)),
  status: z.string(),
  timestamp: epochSecondsText,
  biz_opaque_callback_data: z.optional(z.string().check(z.minLength(1))),
  errors: z.optional(z.array(z.object({ code: z.int() }))),
});

type WhatsAppStatus = z.output<typeof status>;

/** An entry with neither statuses nor messages is about the account, and is ignored. */
export const whatsAppWebhookEntry = z.object({
  changes: z.array(
    z.object({
      value: z.object({
        /** Our number, on which the messages arrived. */
        metadata: z.optional(
          z.object({ display_phone_number: z.optional(z.string()), phone_number_id: z.optional(z.string()) }),
        ),
        statuses: z.optional(z.array(status)),
        /** Each is read separately (see `whatsapp-inbound.ts`). */
        messages: z.optional(z.array(z.unknown())),
      }),
    }),
  ),
});

/** The id that a send names as its sender, of the number with this id of Meta's. */
export function numberIdOf({ context }: WhatsAppEvent, metaId: string | undefined): string | undefined {
  const number = context?.MetaPhoneNumberIds?.find(({ metaPhoneNumberId }) => metaPhoneNumberId === metaId);
  return number && `phone-number-id-${number.arn.slice(number.arn.lastIndexOf('/') + 1)}`;
}

const reached = ['sent', 'delivered', 'read'] as const;

/** Meta's error codes; one that is not listed is `carrier_rejected`. */
const failures: Readonly<Record<number, MessageErrorCode>> = {
  368: 'carrier_rejected',
  100: 'content_rejected',
  130429: 'carrier_throttled',
  130472: 'carrier_blocked',
  130497: 'country_not_supported',
  131008: 'content_rejected',
  131009: 'content_rejected',
  131021: 'invalid_recipient',
  131026: 'unreachable',
  131030: 'invalid_recipient',
  131042: 'spend_limit_reached',
  131047: 'template_required',
  131048: 'carrier_throttled',
  131049: 'carrier_blocked',
  131050: 'recipient_opted_out',
  131051: 'content_rejected',
  131052: 'media_rejected',
  131053: 'media_rejected',
  131056: 'carrier_throttled',
  132000: 'template_rejected',
  132001: 'template_rejected',
  132005: 'template_rejected',
  132007: 'template_rejected',
  132012: 'template_rejected',
  132015: 'template_rejected',
  132016: 'template_rejected',
  132068: 'template_rejected',
  132069: 'template_rejected',
};

export function receiptsOfWhatsAppEvent(
  event: WhatsAppEvent,
  entry: z.output<typeof whatsAppWebhookEntry>,
): Receipt[] {
  return entry.changes.flatMap(({ value: { statuses = [], metadata } }) =>
    statuses.flatMap((reported) => {
      const transition = transitionOf(reported, event);
      const from = withoutUndefined({ from: numberIdOf(event, metadata?.phone_number_id) });
      return transition === undefined
        ? []
        : receiptsFor(reported, event, transition).map((receipt) => ({ ...receipt, ...from }));
    }),
  );
}

/**
 * By our own id if the status has it. Otherwise by each id that the carrier may have returned at the hand-over,
 * the one of AWS and the one of Meta: a receipt under an id that no message has changes nothing.
 */
function receiptsFor(reported: WhatsAppStatus, event: WhatsAppEvent, transition: Transition): Receipt[] {
  const own = reported.biz_opaque_callback_data;
  if (own !== undefined)
    return [
      {
        ...(attemptNamed(own) ?? { messageId: own }),
        carrierMessageId: event.messageId ?? reported.id,
        transition,
      },
    ];
  return [...new Set([event.messageId ?? reported.id, reported.id])].map((carrierMessageId) => ({
    carrierMessageId,
    transition,
  }));
}

/** Statuses other than these four (`deleted`, `warning`, `played`) change nothing. */
function transitionOf(reported: WhatsAppStatus, event: WhatsAppEvent): Transition | undefined {
  const at = momentIn(reported.timestamp, event.message_timestamp);
  const to = reached.find((name) => name === reported.status);
  if (to !== undefined) return { to, at };
  if (reported.status !== 'failed') return undefined;
  const code = reported.errors?.[0]?.code;
  if (code === expiredAtMeta) return { to: 'expired', at, ...messageError('expired') };
  return {
    to: 'failed',
    at,
    ...messageError(code === undefined ? 'unknown' : (failures[code] ?? 'carrier_rejected')),
  };
}

/** Meta's error "Message expired". */
export const expiredAtMeta = 410;

const clocksDifferMaxMs = 60_000;

/**
 * A moment in the second that Meta names: when AWS received the notification, if that was within it, else its end. So the
 * order of a history is kept, because a start of a second may be before what caused it. A second that is more
 * than a minute ahead of AWS's clock is not believed: the newest opt-out or opt-in counts, so none may be of the future.
 *
 * @param receivedAt - ISO 8601, to the nanosecond
 */
export function momentIn(epochSeconds: number, receivedAt: string | undefined): Date {
  const start = epochSeconds * 1000;
  const end = start + 999;
  const received = Date.parse(receivedAt ?? '');
  if (Number.isNaN(received)) return new Date(end);
  return new Date(start - received > clocksDifferMaxMs ? received : Math.max(start, Math.min(end, received)));
}
