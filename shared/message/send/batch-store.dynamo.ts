/** The batches table: one row for each bulk request, with the refused recipients. Its messages follow from its id and the request. */

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { keptDays } from '../../contract/mode.ts';
import { conditionalPut, updateIf } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { derivedId } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
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
  /** As in the request; null if the row has none. */
  to: z.nullable(z.string()),
  error: z.enum(rowErrors),
  message: z.string(),
});

export type RowError = Readonly<z.output<typeof rowError>>;

const time = z.iso.datetime();

/** The row of a batch, without its TTL. */
const batchSchema = z.object({
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
  /** Present if a sender of the batch has a pace. */
  expected_end_at: z.exactOptional(time),
  request_hash: z.exactOptional(z.string()),
});

export type Batch = Readonly<z.output<typeof batchSchema>>;

export interface BatchStore extends KeyedStore<Batch> {
  /**
   * Claims the storing of a batch whose earlier request died. Returns false if another request claimed it, or it is
   * already stored.
   */
  takeOver(batchId: string, seen: Batch, by: Pick<Batch, 'stored_by' | 'storing_until'>): Promise<boolean>;
  /**
   * Notes that every message of the batch is stored, and when the last one is expected to be handed over. Returns the
   * note of the first request that stored them all, so that each repeat gets the same answer.
   */
  markStored(batchId: string, end: Pick<Batch, 'expected_end_at'>): Promise<Pick<Batch, 'expected_end_at'>>;
}

/** Returns the id of the message for one row. It is the same in every attempt to store the batch. */
export function batchMessageId(batchId: string, index: number): string {
  return derivedId('msg', batchId, String(index));
}

export function acceptedIndexes(batch: Pick<Batch, 'total' | 'errors'>): number[] {
  const refused = new Set(batch.errors.map((error) => error.index));
  return Array.from({ length: batch.total }, (_, index) => index).filter((index) => !refused.has(index));
}

export function dynamoBatchStore(
  client: DynamoDBDocumentClient,
  table: { readonly tableName: string; readonly retentionDays: number },
): BatchStore {
  const TableName = table.tableName;

  return {
    async create(batch) {
      const creating = await conditionalPut(client, {
        TableName,
        Item: {
          ...batch,
          purge_at: epochSeconds(
            addDays(new Date(batch.expires_at), keptDays(batch.client_id, table.retentionDays)),
          ),
        },
        ConditionExpression: 'attribute_not_exists(batch_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (creating.applied) return { created: true };
      const existing = batchSchema.parse(creating.row);
      return existing.stored_by === batch.stored_by ? { created: true } : { created: false, existing };
    },

    get: (batchId) =>
      readRow(client, batchSchema, { TableName, Key: { batch_id: batchId }, ConsistentRead: true }),

    async takeOver(batchId, seen, by) {
      const { stored_by, storing_until } = seen;
      const row = { TableName, Key: { batch_id: batchId } };
      return (await updateIf(client, row, { state: 'storing', stored_by, storing_until }, by)).applied;
    },

    async markStored(batchId, end) {
      const stored = { state: 'stored', expected_end_at: end.expected_end_at };
      const Key = { batch_id: batchId };
      const { row } = await updateIf(client, { TableName, Key }, { state: 'storing' }, stored);
      return row === undefined
        ? end
        : withoutUndefined({ expected_end_at: batchSchema.parse(row).expected_end_at });
    },
  };
}
