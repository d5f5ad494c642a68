/**
 * The messages table. Each change is one conditional write. Index keys and a TTL are added when a row is written; a
 * row is validated when it is read.
 */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { keptDays } from '../../contract/mode.ts';
import { type DueFields, dueFields } from '../../due/due-index.ts';
import type { ReadOptions } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { shardOf } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { AttemptCost, StoredAttempt } from '../attempt.ts';
import { type Message, messageSchema, type Status, transitions } from '../message.ts';
import { firstLookOf } from '../next-look.ts';
import { type FilterFields, listKey, listPosition, listShards } from './message-list.dynamo.ts';

/** Tells if this call stored the message, or found one with the same id. */
export type Created = { readonly created: true } | { readonly created: false; readonly existing: Message };

export type Claim =
  | { readonly outcome: 'claimed'; readonly message: Message }
  /** Another hand-over has claimed it until `handover_until`. */
  | { readonly outcome: 'held'; readonly message: Message }
  | { readonly outcome: 'not_sendable'; readonly message: Message }
  | { readonly outcome: 'unknown' };

export interface HandOverClaim {
  /** Unique, so that a repeated write recognizes its own claim. */
  readonly claimId: string;
  readonly at: Date;
  readonly leaseSeconds: number;
}

/** The carrier's response to a hand-over; values that a receipt wrote before are kept. */
export interface HandOverNote {
  /** The time of the hand-over, which becomes `sent_at` unless a receipt wrote it before. */
  readonly at: Date;
  readonly carrierMessageId: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly attempts?: readonly StoredAttempt[];
}

/** Tells if this call stored the leg, or why there is nothing to store. */
export type LegCreated = 'created' | 'exists' | 'sequence_ended';

export interface RecordedAttempt {
  /** All attempts. The last one is about to be made. */
  readonly attempts: readonly StoredAttempt[];
  readonly possiblyDoubled: boolean;
}

/** A field that is undefined is removed from the row. */
export interface AttemptNote {
  readonly attempts?: readonly StoredAttempt[] | undefined;
  readonly attempt?: number | undefined;
  readonly possible_duplicate?: true | undefined;
}

interface ReleaseNote extends AttemptNote, Partial<DueFields> {
  /** Present if the message waits for the pace of its sender: no claim has it any more. */
  readonly handover_claim?: undefined;
}

export interface MessageStore {
  /** Stores a message unless its id is taken. */
  create(message: Message): Promise<Created>;
  /**
   * Stores the messages whose ids are free; an earlier attempt stored the others.
   *
   * @throws if some of them may not be stored.
   */
  createMany(messages: readonly Message[]): Promise<void>;
  /**
   * Stores a leg unless its id is taken, or an earlier leg is delivered or canceled. One transaction checks and
   * writes, so that no earlier leg can be delivered in between.
   */
  createLeg(leg: Message, earlierLegIds: readonly string[]): Promise<LegCreated>;
  get(messageId: string, reading?: ReadOptions): Promise<Message | undefined>;
  /** Returns the messages that exist and are valid, unordered; at most 1,000 ids. */
  getMany(messageIds: readonly string[], reading?: ReadOptions): Promise<Message[]>;
  /**
   * Returns the filter fields of the messages that exist and are valid, eventually consistent, unordered; at most
   * 1,000 ids.
   */
  getFilterFields(messageIds: readonly string[]): Promise<FilterFields[]>;
  /**
   * Claims the message for one hand-over: from `queued`, or from `sending` after the earlier claim has expired.
   * One of any number of concurrent claims succeeds.
   */
  claim(messageId: string, claim: HandOverClaim): Promise<Claim>;
  /** Records an attempt before its call. Returns false if the claim was lost; then the call must not be made. */
  recordAttempt(messageId: string, claimId: string, attempt: RecordedAttempt): Promise<boolean>;
  /**
   * Ends the claim of a message that is not handed over now: it may be claimed from `claimableAt` on. Stores the outcome
   * of its last attempt, if it is given. Returns false if another claim has the message, or it is
   * no longer `sending`.
   */
  release(messageId: string, claimId: string, claimableAt: Date, noted?: ReleaseNote): Promise<boolean>;
  /**
   * Writes the outcome of the last attempt of a claim, or removes the attempt, if a receipt changed the state in the
   * meantime. Returns the row; undefined if another claim has taken the message.
   */
  noteOutcome(messageId: string, claimId: string, noted: AttemptNote): Promise<Message | undefined>;
  /** Enters a state if the present one allows it. Returns undefined if it does not, or if there is no row. */
  transition(messageId: string, transition: Transition): Promise<Message | undefined>;
  /** Writes the carrier's response to a message whose state a receipt has already changed. */
  noteHandOver(messageId: string, noted: HandOverNote): Promise<void>;
  /** Adds the cost of one of several attempts that carriers may have; repeating it adds nothing. */
  addCost(messageId: string, cost: AttemptCost): Promise<void>;
  /**
   * Notes the failure of an attempt after which another was made, so that an older report of it no longer counts.
   * Returns the row; undefined if this failure, or the failure of a later attempt, was noted before.
   */
  noteFailedAttempt(messageId: string, attempt: number): Promise<Message | undefined>;
  /**
   * Fills in `sent` of a `failed` or `expired` message, which a later receipt proves. Returns undefined if it already
   * has `sent`.
   */
  fillInSent(messageId: string, at: Date): Promise<Message | undefined>;
  /** Sets when somebody must look at the message, unless its state or that time has changed since it was read. */
  setNextLook(seen: Message, dueAt: Date | undefined): Promise<void>;
  findByCarrierId(carrierMessageId: string): Promise<string | undefined>;
}

/** A change of state that a carrier reported, or that is due. */
export interface Transition extends CarrierReport {
  readonly to: Status;
  readonly at: Date;
  /**
   * True if the recipient is suppressed, so that the message was not handed over; false if only the carrier considers
   * it opted out.
   */
  readonly suppressed?: boolean;
  /** True if it comes from a receipt, which proves that the message was handed over. */
  readonly reported?: boolean;
  /** Entered only if no receipt has proved in the meantime that a carrier has the message. */
  readonly notSent?: boolean;
  /** Entered only if this is still the last attempt and, if `seen` is given, the attempts have not changed. */
  readonly ofAttempt?: { readonly number: number; readonly seen?: readonly StoredAttempt[] };
  /** Entered only if this attempt is not known to have failed. */
  readonly notFailed?: number;
  /** The attempt that the receipt proves. */
  readonly reportedAttempt?: number;
  /** The attempts with the outcome of the last one. */
  readonly attempts?: readonly StoredAttempt[];
}

interface CarrierReport {
  readonly errorCode?: MessageErrorCode;
  readonly errorMessage?: string;
  readonly cost?: number;
  readonly currency?: string;
  readonly carrierMessageId?: string;
  /** How it reached the recipient, if not as a text. */
  readonly deliveredBy?: 'rcs';
}

/** Returns the states whose time this transition sets if it is not set yet; the new state comes last. */
export function statesEntered({ to, reported }: Pick<Transition, 'to' | 'reported'>): readonly Status[] {
  const proven: readonly Status[] = reported === true ? ['sent'] : [];
  return [...new Set([...proven, ...transitions[to].implies, to])];
}

/** Returns the transition of a message whose validity period ended without a final receipt. */
export function expiry(at: Date): Transition {
  return { to: 'expired', at, ...messageError('expired') };
}

/** Returns the report as fields of the message. A receipt contains the carrier's cost, a hand-over an estimate. */
export function fieldsOf(
  report: CarrierReport & Pick<Transition, 'reported' | 'suppressed'>,
): Partial<Message> {
  return withoutUndefined({
    error_code: report.errorCode,
    error_message: report.errorMessage,
    suppressed: report.suppressed,
    cost: report.cost,
    currency: report.currency,
    cost_reported: report.reported === true && report.cost !== undefined ? true : undefined,
    carrier_message_id: report.carrierMessageId,
    delivered_by: report.deliveredBy,
  });
}

/** Returns the message with its index keys (by client, by reference, by due time) and its TTL. */
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

/** @throws ZodError when the row is not a message. */
export function parseMessageRow(row: unknown): Message {
  return messageSchema().parse(row);
}

/** True if an earlier attempt of this write stored the row, and its response was lost. */
export function isOwn({ stored_by }: Message, existing: Message): boolean {
  return stored_by !== undefined && existing.stored_by === stored_by;
}
