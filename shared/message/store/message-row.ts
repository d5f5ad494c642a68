/**
 * The row of a message: its parser, the attributes that only the table has (index keys, TTL), and the fields that a change
 * of state sets.
 */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { keptDays } from '../../contract/mode.ts';
import { dueFields, lookAfter } from '../../due/due-index.ts';
import {
  addDays,
  addSeconds,
  earlierOf,
  epochSeconds,
  laterOf,
  queueDelayMaxSeconds,
} from '../../platform/clock.ts';
import { shardOf } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { StoredAttempt } from '../attempt.ts';
import { type Message, messageSchema, type Status, transitions, waitsUntil } from '../message.ts';

export const listShards = 4;

/** Returns the partition of one shard of a client's list. Inbound messages have their own list. */
export function listKey(clientId: string, direction: 'inbound' | undefined, shard: number): string {
  return `${clientId}#${direction === undefined ? '' : `${direction}#`}${shard}`;
}

/** The fields by which a list is filtered after its keys are read. */
export const filterFields = [
  'client_id',
  'recipient',
  'direction',
  'status',
  'channel',
] as const satisfies readonly (keyof Message)[];
export type FilterFields = Pick<Message, 'message_id' | (typeof filterFields)[number]>;

/** Returns the sort key of a message in its client's list: by time, then by id. */
export function listPosition(message: Pick<Message, 'created_at' | 'message_id'>): string {
  return `${message.created_at}#${message.message_id}`;
}

/** Returns the row of a message, with its index keys (by client, by reference, by due time) and its TTL. */
export function messageRowOf(message: Message, retentionDays: number): Record<string, unknown> {
  const end = addDays(new Date(message.expires_at), keptDays(message.client_id, retentionDays));
  return {
    ...message,
    ...withoutUndefined(dueFields(message.message_id, firstLookOf(message))),
    list_at: listPosition(message),
    list_key: listKey(message.client_id, message.direction, shardOf(message.message_id, listShards)),
    ...(message.reference === undefined
      ? {}
      : { reference_key: `${message.client_id}#${message.reference}` }),
    purge_at: epochSeconds(end),
  };
}

/** @throws ZodError if the row is not a message */
export function parseMessageRow(row: unknown): Message {
  return messageSchema().parse(row);
}

/** True if an earlier try of this write stored the row, but its response was lost. */
export function isOwn({ stored_by }: Message, existing: Message): boolean {
  return stored_by !== undefined && existing.stored_by === stored_by;
}

/** A change of state that a carrier reported, or whose time has come. */
export interface Transition {
  readonly to: Status;
  readonly at: Date;
  readonly errorCode?: MessageErrorCode;
  readonly errorMessage?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrierMessageId?: string;
  /** How the message reached the recipient, if not as SMS. */
  readonly deliveredBy?: 'rcs';
  /**
   * True if the message was not handed over because the recipient is suppressed; false if only the carrier refused it for
   * an opt-out.
   */
  readonly suppressed?: boolean;
  /** True if the transition comes from a receipt, which proves the hand-over. */
  readonly reported?: boolean;
  /** If true, the state is entered only if no receipt has meanwhile proved that a carrier has the message. */
  readonly notSent?: boolean;
  /** The state is entered only if this is still the last attempt. With `seen`, the attempts must also be unchanged. */
  readonly ofAttempt?: { readonly number: number; readonly seen?: readonly StoredAttempt[] };
  /** The state is entered only if this attempt is not known to have failed. */
  readonly notFailed?: number;
  /** The attempt that the receipt proves. */
  readonly reportedAttempt?: number;
  /** The attempts, with the outcome of the last one. */
  readonly attempts?: readonly StoredAttempt[];
}

/** Returns the transition of a message whose validity period ended without a final receipt. */
export function expiry(at: Date): Transition {
  return { to: 'expired', at, ...messageError('expired') };
}

/** Returns the states whose time this transition sets, unless it is already set; the new state comes last. */
export function statesEntered({ to, reported }: Partial<Transition> & { readonly to: Status }): Status[] {
  const proven: readonly Status[] = reported === true ? ['sent'] : [];
  return [...new Set([...proven, ...transitions[to].implies, to])];
}

/**
 * Returns the attributes that a report sets: fields of the message, and the key of the index by carrier id. The cost in a
 * receipt is the carrier's; a hand-over has only an estimate.
 */
export function reportedFields(report: Partial<Transition>) {
  return withoutUndefined({
    error_code: report.errorCode,
    error_message: report.errorMessage,
    suppressed: report.suppressed,
    cost: report.cost,
    currency: report.currency,
    cost_reported: report.reported === true && report.cost !== undefined ? true : undefined,
    carrier_message_id: report.carrierMessageId,
    carrier_key: report.carrierMessageId,
    delivered_by: report.deliveredBy,
  });
}

/** True if the relay queues the scheduled message with a delay. A later message is only in the due index. */
export function isQueuedByRelay({ scheduled_at, created_at }: Message): boolean {
  return isNear(new Date(scheduled_at ?? created_at), new Date(created_at));
}

/** True if a queue can delay a message until this time. */
export function isNear(time: Date, now: Date): boolean {
  return time <= addSeconds(now, queueDelayMaxSeconds);
}

/** Returns the time of the first look at a new message; undefined if the message is final. */
export function firstLookOf(message: Message): Date | undefined {
  if (transitions[message.status].final) return undefined;
  if (message.status === 'scheduled') {
    const startsAt = new Date(message.scheduled_at ?? message.created_at);
    return isQueuedByRelay(message) ? lookAfter(startsAt) : startsAt;
  }
  const queuedAt = new Date(message.queued_at ?? message.created_at);
  const comesToWorkerAt = laterOf(queuedAt, waitsUntil(message) ?? queuedAt);
  return earlierOf(lookAfter(comesToWorkerAt), new Date(message.expires_at));
}

/**
 * Returns the time of the next look at a message that cannot be handed over now; undefined if no look is needed.
 *
 * @param legDueAt - the time of the next leg, if it has not started and may still be needed
 */
export function nextLookOf(message: Message, legDueAt: Date | undefined): Date | undefined {
  if (message.held !== undefined) return undefined;
  const looks: Date[] = [];
  if (!transitions[message.status].final)
    looks.push(new Date(message.status === 'scheduled' ? (message.scheduled_at ?? 0) : message.expires_at));
  if (legDueAt !== undefined) {
    // The relay has already queued a leg that starts soon after its message, and a look at that time would start the leg
    // twice.
    const after = message.fallback?.[0]?.after_seconds ?? 0;
    looks.push(after > queueDelayMaxSeconds ? legDueAt : lookAfter(legDueAt));
  }
  return looks.length === 0 ? undefined : looks.reduce(earlierOf);
}
