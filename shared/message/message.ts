/**
 * A message and its states. The row is the gateway's only record of a send or of an inbound message. A message enters a
 * state at most once, and the row stores the time. Its history and its events are derived from the row (contract 6.1).
 */
import * as z from 'zod/mini';
import { channels, type SendKind } from '../contract/channels.ts';
import type { MessageErrorCode } from '../contract/message-error-codes.ts';
import { lazily } from '../platform/expiring-cache.ts';
import { attemptCosts, storedAttempt } from './attempt.ts';
import { receivedContent, storedTemplate, storedWhatsAppContent } from './whatsapp-content.ts';

export const messageTypes = ['transactional', 'promotional'] as const;

export const encodings = ['GSM-7', 'UCS-2'] as const;

/** The states, in the order in which one message can enter them. */
export const statuses = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'failed',
  'expired',
  'delivered',
  'read',
  'canceled',
  'received',
] as const;

export type Status = (typeof statuses)[number];

/**
 * The transition table. `delivered` and `read` may follow `failed` and `expired`, because the carrier's report is more
 * reliable. No other state moves backwards, so a late or repeated receipt changes nothing. After a lost hand-over, the next
 * one enters `sending` again, with a condition of its own (`claimMessage`).
 */
export const transitions: Readonly<
  Record<
    Status,
    {
      /** The states from which this state may be entered, as the condition of the write. */
      readonly from: readonly Status[];
      /**
       * The states that come before this one. If their receipts were missed, these states are filled in, each with its
       * event.
       */
      readonly implies: readonly Status[];
      /** True if the message can no longer expire. */
      readonly final: boolean;
    }
  >
> = {
  scheduled: { from: [], implies: [], final: false },
  queued: { from: ['scheduled'], implies: [], final: false },
  sending: { from: ['queued'], implies: [], final: false },
  sent: { from: ['sending'], implies: [], final: false },
  delivered: { from: ['sending', 'sent', 'failed', 'expired'], implies: ['sent'], final: true },
  read: {
    from: ['sending', 'sent', 'delivered', 'failed', 'expired'],
    implies: ['sent', 'delivered'],
    final: true,
  },
  failed: { from: ['queued', 'sending', 'sent'], implies: [], final: true },
  expired: { from: ['queued', 'sending', 'sent'], implies: [], final: true },
  canceled: { from: ['scheduled'], implies: [], final: true },
  // An inbound message has only this state.
  received: { from: [], implies: [], final: true },
};

/** The states of a leg after which the next leg may start, because this one was neither delivered nor canceled. */
export const undeliveredStatuses = [
  'queued',
  'sending',
  'sent',
  'failed',
  'expired',
] as const satisfies readonly Status[];

/**
 * Why a restore holds a message (contract 8.8): it may have been handed over since the restored time, it is scheduled, or
 * it waits for its receipt.
 */
export const heldGroups = ['due', 'scheduled', 'sent'] as const;

export type HeldGroup = (typeof heldGroups)[number];

/** The states that have a webhook event. An expired WhatsApp message has the event `whatsapp.failed`. */
export const eventStatuses = [
  'sent',
  'delivered',
  'read',
  'failed',
  'expired',
  'received',
] as const satisfies readonly Status[];

export type EventStatus = (typeof eventStatuses)[number];

/** ISO 8601 UTC. */
const time = z.iso.datetime();

/** The sender of a message, selected when the message is accepted. The hand-over does not select again (contract 14.2). */
const storedSender = lazily(() =>
  z.object({
    /** A phone number, a pool or a sender ID. */
    identity: z.string(),
    /** The sender's pace, counted in segments. */
    messages_per_second: z.exactOptional(z.number()),
    /** India: the ids of the entity and of the template, as registered with the regulator. */
    entity_id: z.exactOptional(z.string()),
    template_id: z.exactOptional(z.string()),
    /** The carrier for which the sender was selected. */
    carrier: z.exactOptional(z.string()),
  }),
);

/** The limits that can refuse a leg when it starts. They refuse the first message of a send already at the request. */
const legRefusals = [
  'message_limit_reached',
  'spend_limit_reached',
  'recipient_limit_reached',
  'otp_held',
] as const satisfies readonly MessageErrorCode[];

export type LegRefusal = (typeof legRefusals)[number];

/** A leg of a fallback sequence that has not started: its content, channel and sender (dispatch/fallback.ts). */
const storedLeg = lazily(() =>
  z.object({
    channel: z.enum(channels),
    /**
     * The time between the queuing of the previous leg and the start of this one, if the previous leg is not delivered. If
     * absent, this leg starts only after the previous one ends.
     */
    after_seconds: z.exactOptional(z.int()),
    from: z.exactOptional(z.string()),
    sender: z.exactOptional(storedSender()),
    senders: z.exactOptional(z.record(z.string(), storedSender())),
    /**
     * The text as in a message. A one-time password is rendered when the leg starts, because its text states the remaining
     * validity.
     */
    text: z.exactOptional(z.string()),
    whatsapp: z.exactOptional(z.lazy(storedWhatsAppContent)),
    fallback_template: z.exactOptional(z.lazy(storedTemplate)),
  }),
);

export type StoredLeg = Readonly<z.output<ReturnType<typeof storedLeg>>>;

/**
 * A message as stored: one row of at most a few kilobytes. The row also contains index keys and the TTL. Fields that are
 * not named here are dropped when the row is read.
 */
export const messageSchema = lazily(() =>
  z.object({
    message_id: z.string(),
    client_id: z.string(),
    channel: z.enum(channels),
    status: z.enum(statuses),
    /** Absent: outbound. */
    direction: z.exactOptional(z.literal('inbound')),
    /**
     * The recipient, or the sender of an inbound message: E.164, a short code, or the id of a WhatsApp user who hides the
     * number. One index contains both directions.
     */
    recipient: z.string(),
    /**
     * The recipient's country as ISO 3166-1 alpha-2, if known. Stored with the message, so that no later step needs the
     * numbering plans.
     */
    country: z.exactOptional(z.string()),
    /** The sender in the request; for an inbound message, our number. */
    from: z.exactOptional(z.string()),
    /** The sender at the first carrier of the channel; absent if the carrier chooses. */
    sender: z.exactOptional(storedSender()),
    /** The senders at other carriers, by carrier, if rows of `senders` name them. */
    senders: z.exactOptional(z.record(z.string(), storedSender())),
    type: z.enum(messageTypes),
    reference: z.exactOptional(z.string()),
    /**
     * The text of an SMS or of a WhatsApp text message. In the text of a one-time password, `{{code}}` stands for the code.
     */
    text: z.exactOptional(z.string()),
    /** The content of a WhatsApp message. If it is absent, the message is a text. */
    whatsapp: z.exactOptional(z.lazy(storedWhatsAppContent)),
    /**
     * Sent instead of the content if WhatsApp accepts only templates, because the recipient has not written for 24 hours.
     */
    fallback_template: z.exactOptional(z.lazy(storedTemplate)),
    /** The content of an inbound WhatsApp message that is not text. */
    received_content: z.exactOptional(z.lazy(receivedContent)),
    /** Present if an inbound message consists of only a STOP or START keyword. */
    opt_keyword: z.exactOptional(z.enum(['opt_out', 'opt_in'])),
    /**
     * Our senders to which the keyword applies: the number that received it, and the pools that may contain this number.
     */
    opt_senders: z.exactOptional(z.array(z.string())),
    /** The message that an inbound message replies to, if the carrier names it. */
    in_reply_to: z.exactOptional(z.string()),
    encoding: z.exactOptional(z.enum(encodings)),
    segments: z.exactOptional(z.int()),
    /** The segments that `smart_encoding` would have saved, if any. */
    avoidable_segments: z.exactOptional(z.int()),
    /** True if typographic characters in the SMS of this send, including its legs, are replaced. */
    smart_encoding: z.exactOptional(z.literal(true)),
    webhook_url: z.exactOptional(z.string()),
    created_at: time,
    /** When to queue a scheduled message. */
    scheduled_at: z.exactOptional(time),
    /** The end of the validity period. If no final receipt has arrived by then, the message becomes `expired`. */
    expires_at: time,
    // When each state was entered, except `scheduled`, which is entered at `created_at`.
    queued_at: z.exactOptional(time),
    sending_at: z.exactOptional(time),
    sent_at: z.exactOptional(time),
    delivered_at: z.exactOptional(time),
    read_at: z.exactOptional(time),
    failed_at: z.exactOptional(time),
    expired_at: z.exactOptional(time),
    canceled_at: z.exactOptional(time),
    received_at: z.exactOptional(time),
    /** A code of `contract/message-error-codes.ts`. */
    error_code: z.exactOptional(z.string()),
    error_message: z.exactOptional(z.string()),
    /**
     * True if the message was not handed over because the recipient is suppressed. Otherwise `recipient_opted_out` comes
     * from the carrier. False if, after a later opt-in, the recipient is not suppressed.
     */
    suppressed: z.exactOptional(z.boolean()),
    cost: z.exactOptional(z.number()),
    currency: z.exactOptional(z.string()),
    /** True if the carrier reported `cost`; otherwise it is estimated from the stage's prices. */
    cost_reported: z.exactOptional(z.boolean()),
    carrier_message_id: z.exactOptional(z.string()),
    /** How an SMS reached the recipient, if not as SMS. */
    delivered_by: z.exactOptional(z.literal('rcs')),
    /**
     * How often a hand-over claimed the message, and the end and id of the latest claim. Without an id, the message waits
     * until this end for its sender's pace.
     */
    handover_attempts: z.exactOptional(z.int()),
    handover_until: z.exactOptional(time),
    handover_claim: z.exactOptional(z.string()),
    /**
     * The attempts to hand over the message, newest last, and the number of the newest attempt, which is a condition of
     * writes.
     */
    attempts: z.exactOptional(z.array(storedAttempt())),
    attempt: z.exactOptional(z.int()),
    /** The attempt that a receipt proves, if there are several attempts, or if the receipt came before the response. */
    reported_attempt: z.exactOptional(z.int()),
    /** The newest attempt that a receipt reported as failed, if another attempt followed it. */
    failed_attempt: z.exactOptional(z.int()),
    /** The cost of each attempt, if several carriers may have the message; their sum is `cost`. */
    costs: z.exactOptional(attemptCosts()),
    /** True if the message was sent again although a carrier may already have had it. */
    possible_duplicate: z.exactOptional(z.literal(true)),
    /** SHA-256 of a request with an Idempotency-Key. A different request with the same key is refused (422). */
    request_hash: z.exactOptional(z.string()),
    /** The bulk request that contains this message. */
    batch_id: z.exactOptional(z.string()),
    /**
     * The work id of the request or leg that stored the row; present if a cap may apply. If the SDK retries the write after
     * a lost response, the retry recognizes its own row.
     */
    stored_by: z.exactOptional(z.string()),
    /** The one-time password in the message, without its code. */
    otp: z.exactOptional(
      z.object({
        otp_id: z.string(),
        code_length: z.int(),
        expires_at: time,
        /** The value when the message was accepted, as in the response to the send. */
        attempts_remaining: z.int(),
      }),
    ),
    /** The legs that follow, in order, if this message is not delivered. */
    fallback: z.exactOptional(z.array(storedLeg())),
    /** Present on a later leg: the send's first message, and the number of this leg (2 or 3). */
    fallback_of: z.exactOptional(z.string()),
    leg: z.exactOptional(z.int()),
    /** When a worker must look at the row, and how often `queue-due-rows` has moved this time (`due/due-index.ts`). */
    due_at: z.exactOptional(time),
    due_looks: z.exactOptional(z.int()),
    /** Present while a restore holds the message. No worker changes it until an administrator releases or ends it. */
    held: z.exactOptional(z.enum(heldGroups)),
    /**
     * Why a leg may not be handed over, found when the leg started. Like other messages, the leg then fails at its
     * hand-over.
     */
    refusal: z.exactOptional(z.enum(legRefusals)),
  }),
);

export type Message = Readonly<z.output<ReturnType<typeof messageSchema>>>;

/** Returns the states that a message entered, in order, for `history`. The internal state `sending` is left out. */
export function historyOf(message: Message) {
  const entries: { readonly status: Status; readonly at: string }[] = [];
  if (message.scheduled_at !== undefined) entries.push({ status: 'scheduled', at: message.created_at });
  for (const status of statuses) {
    if (status === 'scheduled' || status === 'sending') continue;
    const at = message[`${status}_at`];
    if (at !== undefined) entries.push({ status, at });
  }
  return entries;
}

/** A message before and after one write; `before` is undefined if the write created the message. */
export interface MessageChange {
  readonly before: Message | undefined;
  readonly after: Message;
}

/** Returns the states that this change entered and that have an event: these events are sent now. */
export function eventsToSend({ before, after }: MessageChange): EventStatus[] {
  return eventStatuses.filter(
    (status) => after[`${status}_at`] !== undefined && before?.[`${status}_at`] === undefined,
  );
}

/** Returns the kind of send. It determines the priority, which no client can change. */
export function sendKindOf({ otp, batch_id }: { otp?: unknown; batch_id?: string | undefined }): SendKind {
  if (otp !== undefined) return 'otp';
  return batch_id === undefined ? 'single' : 'bulk';
}

/** Returns the time until which the message waits for its sender's pace; undefined if it does not wait. */
export function waitsUntil({ handover_until, handover_claim }: Message): Date | undefined {
  return handover_until === undefined || handover_claim !== undefined ? undefined : new Date(handover_until);
}
