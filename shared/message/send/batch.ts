/** A bulk send: one row with the refused recipients. Its messages follow from its id and the request. */
import * as z from 'zod/mini';
import { derivedId } from '../../platform/ids.ts';
import type { KeyedStore } from './idempotency.ts';

/** Why a row of a bulk request was refused. */
const rowErrors = [
  'invalid_recipient',
  'duplicate_recipient',
  'invalid_row',
  'missing_variable',
  'message_too_long',
  'missing_message',
  'forbidden',
] as const;

export type RowErrorCode = (typeof rowErrors)[number];

export const rowError = z.object({
  index: z.int().check(z.nonnegative()),
  /** As the request has it; null where it has none. */
  to: z.nullable(z.string()),
  error: z.enum(rowErrors),
  message: z.string(),
});

export type RowError = Readonly<z.output<typeof rowError>>;

const time = z.iso.datetime();

/** The row of a batch, without its TTL. */
export const batchSchema = z.object({
  batch_id: z.string(),
  client_id: z.string(),
  /** `storing` until every accepted message is in the messages table; only then follows the 202. */
  state: z.enum(['storing', 'stored']),
  /** After this time the request that stores the batch is considered dead, and a repeat completes it (`send-bulk-sms.ts`). */
  storing_until: time,
  total: z.int(),
  accepted: z.int(),
  errors: z.array(rowError),
  created_at: time,
  /** The end of its messages' validity period; the retention of batch and messages begins there. */
  expires_at: time,
  /** The work id of the request that stores it: a write that the SDK repeats after a lost response recognizes its row. */
  stored_by: z.string(),
  /** Where a sender of the batch has a pace. */
  expected_end_at: z.exactOptional(time),
  request_hash: z.exactOptional(z.string()),
  key_use: z.exactOptional(z.int()),
});

export type Batch = Readonly<z.output<typeof batchSchema>>;

/** The batches table. */
export interface BatchStore extends KeyedStore<Batch> {
  /** Claims the storing of a batch whose earlier request died; false where another request did, or it is stored. */
  takeOver(batchId: string, seen: Batch, by: Pick<Batch, 'stored_by' | 'storing_until'>): Promise<boolean>;
  /** Notes that every message of the batch is stored. */
  markStored(batchId: string): Promise<void>;
}

/** The id of the message for one row: the same in every attempt to store the batch. */
export function batchMessageId(batchId: string, index: number): string {
  return derivedId('msg', batchId, String(index));
}

export function acceptedIndexes(batch: Pick<Batch, 'total' | 'errors'>): number[] {
  const refused = new Set(batch.errors.map((error) => error.index));
  return Array.from({ length: batch.total }, (_, index) => index).filter((index) => !refused.has(index));
}
