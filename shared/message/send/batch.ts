/** A bulk send: one row with the refused recipients. Its messages follow from its id and the request. */
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
  /** As the request has it; null where it has none. */
  readonly to: string | null;
  readonly error: RowErrorCode;
  readonly message: string;
}

/** `storing` until every accepted message is in the messages table; only then follows the 202. */
type BatchState = 'storing' | 'stored';

export interface Batch {
  readonly batch_id: string;
  readonly client_id: string;
  readonly state: BatchState;
  /** After this time the request that stores the batch is considered dead. ISO 8601 UTC. */
  readonly storing_until: string;
  readonly total: number;
  readonly accepted: number;
  readonly errors: readonly RowError[];
  readonly created_at: string;
  /** The end of its messages' validity period; the retention of batch and messages begins there. */
  readonly expires_at: string;
  /** The work id of the request that stores it: a write that the SDK repeats after a lost response recognizes its own row. */
  readonly stored_by: string;
  readonly request_hash?: string;
  readonly key_use?: number;
}

/** The id of the message for one row: the same in every attempt to store the batch. */
export function batchMessageId(batchId: string, index: number): string {
  return derivedId('msg', batchId, String(index));
}

/** The indexes of the rows that were accepted. */
export function acceptedIndexes(batch: Pick<Batch, 'total' | 'errors'>): number[] {
  const refused = new Set(batch.errors.map((error) => error.index));
  return Array.from({ length: batch.total }, (_, index) => index).filter((index) => !refused.has(index));
}
