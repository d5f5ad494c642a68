/** What a bulk send leaves behind: one row with what was refused; all else follows from its id and the request. */
import { derivedId } from '../../platform/ids.ts';

/** Why a row of a bulk request was refused. */
export const rowErrors = [
  'invalid_recipient',
  'duplicate_recipient',
  'invalid_row',
  'missing_variable',
  'message_too_long',
  'missing_message',
  'forbidden',
] as const;

export type RowErrorCode = (typeof rowErrors)[number];

export interface RowError {
  readonly index: number;
  /** The recipient as the request gave it, where it gave one. */
  readonly to: string | null;
  readonly error: RowErrorCode;
  readonly message: string;
}

/** `storing` until every accepted message is in the messages table; then, and not before, the 202. */
type BatchState = 'storing' | 'stored';

export interface Batch {
  readonly batch_id: string;
  readonly client_id: string;
  readonly state: BatchState;
  /** Until when one request works at storing; after that it is taken to have died. ISO 8601 UTC. */
  readonly storing_until: string;
  readonly total: number;
  readonly accepted: number;
  readonly errors: readonly RowError[];
  readonly created_at: string;
  /** The end of its messages' validity, from which on the batch is kept as long as they are. */
  readonly expires_at: string;
  /** The unit of work that stores it, by an id of our own: so that a write the SDK repeats after a lost answer knows its own. */
  readonly stored_by: string;
  readonly request_hash?: string;
  readonly key_use?: number;
}

/** The id of the message for one row: the same in every try to store the batch. */
export function batchMessageId(batchId: string, index: number): string {
  return derivedId('msg', batchId, String(index));
}

/** The indexes of the rows that were accepted. */
export function acceptedIndexes(batch: Pick<Batch, 'total' | 'errors'>): number[] {
  const refused = new Set(batch.errors.map((error) => error.index));
  return Array.from({ length: batch.total }, (_, index) => index).filter((index) => !refused.has(index));
}
