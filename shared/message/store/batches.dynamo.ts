/**
 * The batches table: one row for each bulk request, with its refused recipients. The messages of a batch can be derived
 * from its id and its request.
 */
import * as z from 'zod/mini';
import { keptDays } from '../../contract/mode.ts';
import { conditionalPut, updateIf } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { derivedId } from '../../platform/ids.ts';

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
  /** As in the request; null if the row has no recipient. */
  to: z.nullable(z.string()),
  error: z.enum(rowErrors),
  message: z.string(),
});

const time = z.iso.datetime();

/** The row of a batch, without its TTL. */
const batchSchema = z.object({
  batch_id: z.string(),
  client_id: z.string(),
  /** `storing` until every accepted message is stored. The 202 response follows after that. */
  state: z.enum(['storing', 'stored']),
  /** After this time, the request that stores the batch has ended, and a repeat completes the batch (`send-bulk.ts`). */
  storing_until: time,
  total: z.int(),
  accepted: z.int(),
  errors: z.array(rowError),
  created_at: time,
  /** The end of the messages' validity, after which the retention of the batch and its messages begins. */
  expires_at: time,
  /**
   * The work id of the request that stores the batch. If the SDK repeats the write after a lost response, the repeat
   * recognizes its own row by this id.
   */
  stored_by: z.string(),
  /** Present if a sender of the batch has a pace. */
  expected_end_at: z.exactOptional(time),
  request_hash: z.exactOptional(z.string()),
  /** True if typographic characters are replaced. A repeat gets the same texts, even if the client's setting has changed. */
  smart_encoding: z.exactOptional(z.literal(true)),
});

export type Batch = Readonly<z.output<typeof batchSchema>>;

/** Returns the id of a row's message. Every attempt to store the batch derives the same id. */
export function batchMessageId(batchId: string, index: number): string {
  return derivedId('msg', batchId, String(index));
}

export function acceptedIndexes(batch: Batch): number[] {
  const refused = new Set(batch.errors.map((error) => error.index));
  return Array.from({ length: batch.total }, (_, index) => index).filter((index) => !refused.has(index));
}

/** Stores a batch, unless its id is taken. */
export async function createBatch({ db, env }: Context<'BATCHES_TABLE' | 'RETENTION_DAYS'>, batch: Batch) {
  const keptFor = keptDays(batch.client_id, env.RETENTION_DAYS);
  const creating = await conditionalPut(db, {
    TableName: env.BATCHES_TABLE,
    Item: { ...batch, purge_at: epochSeconds(addDays(new Date(batch.expires_at), keptFor)) },
    ConditionExpression: 'attribute_not_exists(batch_id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (creating.applied) return { created: true } as const;
  const existing = batchSchema.parse(creating.row);
  return existing.stored_by === batch.stored_by
    ? ({ created: true } as const)
    : ({ created: false, existing } as const);
}

export function findBatch(
  { db, env }: Context<'BATCHES_TABLE'>,
  batchId: string,
): Promise<Batch | undefined> {
  const Key = { batch_id: batchId };
  return readRow(db, batchSchema, { TableName: env.BATCHES_TABLE, Key, ConsistentRead: true });
}

/**
 * Continues the storing of a batch whose earlier request died. Returns false if another request continues it, or if it is
 * already stored.
 */
export async function takeOverBatch(
  { db, env }: Context<'BATCHES_TABLE' | 'RETENTION_DAYS'>,
  seen: Batch,
  by: { readonly stored_by: string; readonly storing_until: string },
): Promise<boolean> {
  const { batch_id, stored_by, storing_until } = seen;
  const row = { TableName: env.BATCHES_TABLE, Key: { batch_id } };
  return (await updateIf(db, row, { state: 'storing', stored_by, storing_until }, by)).applied;
}

/**
 * Stores that every message of the batch is stored, and when the last one should be handed over. Returns the time that the
 * first complete request stored, so that each repeat gets the same response.
 */
export async function markBatchStored(
  { db, env }: Context<'BATCHES_TABLE' | 'RETENTION_DAYS'>,
  batchId: string,
  expectedEndAt: string | undefined,
): Promise<string | undefined> {
  const stored = { state: 'stored', expected_end_at: expectedEndAt };
  const row = { TableName: env.BATCHES_TABLE, Key: { batch_id: batchId } };
  const marking = await updateIf(db, row, { state: 'storing' }, stored);
  return marking.row === undefined ? expectedEndAt : batchSchema.parse(marking.row).expected_end_at;
}
