/** What the gateway asks of its messages table: each change is one conditional write that names what it replaces. */
import type { ReadOptions } from '../../platform/read-options.ts';
import type { Message } from '../message.ts';
import type { Transition } from '../transition.ts';

/** Whether this call stored the message, or found one with the same id. */
export type Created = { readonly created: true } | { readonly created: false; readonly existing: Message };

/** What a claim for the carrier came to. */
export type Claim =
  | { readonly outcome: 'claimed'; readonly message: Message }
  /** Another hand-over holds it until `handover_until`. */
  | { readonly outcome: 'held'; readonly message: Message }
  /** It is in a state from which nothing is handed over. */
  | { readonly outcome: 'not_sendable'; readonly message: Message }
  | { readonly outcome: 'unknown' };

export interface HandOverClaim {
  /** Tells this claim from any other, so that a repeated write recognises itself. */
  readonly claimId: string;
  readonly at: Date;
  /** For how long the claim holds the message. */
  readonly leaseSeconds: number;
}

/** What the carrier's answer to a hand-over tells; where a receipt told it first, the receipt's word stands. */
export interface HandOverNote {
  /** When it was handed over: the time of `sent`, where no receipt told it before. */
  readonly at: Date;
  readonly carrierMessageId: string;
  /** Whether the message must be found again by the carrier's id alone. */
  readonly findableByCarrierId: boolean;
  readonly cost?: number;
  readonly currency?: string;
}

export type FilterFields = Pick<Message, 'message_id' | 'status' | 'channel'>;

export interface MessageStore {
  /** Stores a message unless its id is taken; the answer to "was it stored" is durable. */
  create(message: Message): Promise<Created>;
  /**
   * Stores those of the messages whose ids are free; the others are there from an earlier try.
   *
   * @throws when any of them is not surely stored.
   */
  createMany(messages: readonly Message[]): Promise<void>;
  get(messageId: string, reading?: ReadOptions): Promise<Message | undefined>;
  /** The messages that are there, in no order; at most 1,000 ids. */
  getMany(messageIds: readonly string[], reading?: ReadOptions): Promise<Message[]>;
  /** What a list is filtered by, a moment old; of those that are to be seen, in no order; at most 1,000 ids. */
  getFilterFields(messageIds: readonly string[]): Promise<FilterFields[]>;
  /**
   * Takes the message for one hand-over: from `queued`, or from `sending` once the earlier claim has run out.
   * Of any number of claims at once one succeeds.
   */
  claim(messageId: string, claim: HandOverClaim): Promise<Claim>;
  /** Lets go of a message that the carrier did not take, so that it may be claimed from `claimableAt` on. */
  release(messageId: string, claimId: string, claimableAt: Date): Promise<void>;
  /** Enters a state if the row is in one that allows it; undefined where it is not, or there is no such row. */
  transition(messageId: string, transition: Transition): Promise<Message | undefined>;
  /** Notes what the carrier said to the hand-over of a message that a receipt has moved on already. */
  noteHandOver(messageId: string, noted: HandOverNote): Promise<void>;
  /**
   * Fills in `sent` where a message came to its end without it, which a later receipt proves. Undefined where the
   * message has it, or is not `failed` or `expired`.
   */
  fillInSent(messageId: string, at: Date): Promise<Message | undefined>;
  /** Notes on the first message of an idempotency key that the key is in its `use`-th use; false where it is gone. */
  noteKeyUse(messageId: string, use: number, at: Date): Promise<boolean>;
  /** The message that a carrier knows by its own id; only WhatsApp's are indexed. */
  findByCarrierId(carrierMessageId: string): Promise<string | undefined>;
}
