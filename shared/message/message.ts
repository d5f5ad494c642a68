/**
 * What a message is, and every state it can be in: the row that is the gateway's only record of a send.
 * A state is entered once; the time of entering stands in the row, so the history and the events that are
 * owed follow from the row itself (contract, section 6).
 */
import type { WhatsAppContent } from './whatsapp-content.ts';

export type Channel = 'sms' | 'whatsapp';

/** In the order in which one message can enter them. */
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
] as const;

export type Status = (typeof statuses)[number];

interface StateRule {
  /** The states from which this one may be entered; the condition of the one write that enters it. */
  readonly from: readonly Status[];
  /** States that this one proves to have happened: filled in, each with its event, where a receipt was missed. */
  readonly implies: readonly Status[];
  /** Whether nothing more is awaited, so that the message can no longer expire. */
  readonly final: boolean;
}

/**
 * The transition table. `delivered` is taken after `failed` and `expired`, for the carrier knows better;
 * otherwise no state moves backwards, so a late or repeated receipt finds no row to change.
 * `sending` may be entered again by the next hand-over after a lost one, by its own condition (see the claim).
 */
export const transitions: Readonly<Record<Status, StateRule>> = {
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
};

/** The states that a client is told of, each once, as a message enters it; an expired WhatsApp message as `whatsapp.failed`. */
export const eventStatuses = [
  'sent',
  'delivered',
  'read',
  'failed',
  'expired',
] as const satisfies readonly Status[];

export type EventStatus = (typeof eventStatuses)[number];

/** The moment each state was entered, ISO 8601 UTC; `scheduled` is entered at `created_at`. */
type StateTimes = { readonly [S in Exclude<Status, 'scheduled'> as `${S}_at`]?: string };

/** What a message says of its one-time password; never the code. */
interface OtpInMessage {
  readonly otp_id: string;
  readonly code_length: number;
  readonly expires_at: string;
  /** When the message was accepted: what its answer said. */
  readonly attempts_remaining: number;
}

/** A message as it is stored: one row, never above a few kilobytes. All times ISO 8601 UTC. */
export interface Message extends StateTimes {
  readonly message_id: string;
  readonly client_id: string;
  readonly channel: Channel;
  readonly status: Status;
  /** E.164. */
  readonly recipient: string;
  /** The recipient's, ISO 3166-1 alpha-2, where it has one: found at the send, so that no later step carries the numbering plans. */
  readonly country?: string;
  readonly from?: string;
  readonly type: 'transactional' | 'promotional';
  readonly reference?: string;
  /** The text of an SMS, or of a WhatsApp text. */
  readonly text?: string;
  /** What a WhatsApp message holds; a text where absent. */
  readonly whatsapp?: WhatsAppContent;
  readonly encoding?: 'GSM-7' | 'UCS-2';
  readonly segments?: number;
  readonly webhook_url?: string;
  readonly created_at: string;
  /** When a scheduled message is to be queued. */
  readonly scheduled_at?: string;
  /** The end of the validity period: without a final receipt by then, it becomes `expired`. */
  readonly expires_at: string;
  readonly error_code?: string;
  readonly error_message?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrier_message_id?: string;
  /** How often the message was claimed for the carrier, until when the latest claim holds it, and whose it is. */
  readonly handover_attempts?: number;
  readonly handover_until?: string;
  readonly handover_claim?: string;
  /** SHA-256 of the request, kept for a keyed send: the same key with another request is refused (422). */
  readonly request_hash?: string;
  /** Where the message carries a one-time password: its `text` has `{{code}}` where the code goes at hand-over. */
  readonly otp?: OtpInMessage;
  /** On the first message of a key that was used again after 24 hours: the number of its newest use. */
  readonly key_use?: number;
}

/** One line of a status answer's `history`. */
interface HistoryEntry {
  readonly status: Status;
  readonly at: string;
}

/** The states a message entered, in order: what `history` shows. `sending` is the gateway's own affair and left out. */
export function historyOf(message: Message): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  if (message.scheduled_at !== undefined) entries.push({ status: 'scheduled', at: message.created_at });
  for (const status of statuses) {
    if (status === 'scheduled' || status === 'sending') continue;
    const at = message[`${status}_at`];
    if (at !== undefined) entries.push({ status, at });
  }
  return entries;
}

/** When the message entered its latest state. */
export function lastChangeOf(message: Message): Date {
  const times = statuses.flatMap((status) =>
    status === 'scheduled' ? [message.created_at] : (message[`${status}_at`] ?? []),
  );
  return new Date(Math.max(...times.map((time) => Date.parse(time))));
}

/** A message before and after one write; `before` is absent where the write created it. */
export interface MessageChange {
  readonly before: Message | undefined;
  readonly after: Message;
}

/** Whether this change entered the state: its time is known now, and was not before. */
export function hasEntered({ before, after }: MessageChange, status: Exclude<Status, 'scheduled'>): boolean {
  return after[`${status}_at`] !== undefined && before?.[`${status}_at`] === undefined;
}

/** The event states that `after` has entered and `before` had not: exactly what clients are now owed. */
export function eventsToSend(change: MessageChange): EventStatus[] {
  return eventStatuses.filter((status) => hasEntered(change, status));
}
