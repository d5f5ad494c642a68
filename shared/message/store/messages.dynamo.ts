/**
 * Stores new messages and reads stored ones. Rows are validated when they are read. `message-changes.dynamo.ts` changes
 * stored messages.
 */
import { type AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import {
  batchRead,
  chunksOf,
  type ReadOptions,
  readableRows,
  readRowShared,
} from '../../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../platform/context.ts';
import { lazily } from '../../platform/expiring-cache.ts';
import { retryRemaining } from '../../platform/retry.ts';
import { type Message, messageSchema, undeliveredStatuses } from '../message.ts';
import { filterFields, isOwn, messageRowOf, parseMessageRow } from './message-row.ts';

type ReadContext = Context<'MESSAGES_TABLE'>;
type CreateContext = Context<'MESSAGES_TABLE' | 'RETENTION_DAYS'>;

/** The result: this call stored the message, or a message with the same id exists. */
export type Created = { readonly created: true } | { readonly created: false; readonly existing: Message };

/**
 * The maximum of `TransactWriteItems`. `BatchWriteItem` is not used, because it has no conditions: a retry would overwrite
 * messages that have changed.
 */
const transactionRowsMax = 100;
/** DynamoDB's reason for a canceled transaction: a condition on this row is false. */
const conditionFailed = 'ConditionalCheckFailed';

/** Stores a message unless its id exists. If the SDK repeats the write after a lost response, it recognizes its own row. */
export async function createMessage(ctx: CreateContext, message: Message): Promise<Created> {
  const creating = await conditionalPut(ctx.db, {
    ...putIfFree(ctx, message),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (creating.applied) return { created: true };
  const existing = parseMessageRow(creating.row);
  return isOwn(message, existing) ? { created: true } : { created: false, existing };
}

/**
 * Stores the messages whose ids do not exist yet. An earlier attempt stored the others.
 *
 * Each call writes all its rows or none. After a lost response, a plain batch write would reset messages that have changed
 * meanwhile, and they would be sent twice. A transaction costs a second write unit for each row.
 *
 * @throws if some of the messages may not be stored
 */
export async function createMessages(ctx: CreateContext, messages: readonly Message[]): Promise<void> {
  const storeSome = (some: readonly Message[]) =>
    retryRemaining(some, async (left) => {
      const puts = left.map((message) => ({ Put: putIfFree(ctx, message) }));
      try {
        await ctx.db.send(new TransactWriteCommand({ TransactItems: puts }));
        return [];
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        // An earlier attempt stored the rows whose ids exist.
        return left.filter((_, index) => error.CancellationReasons?.[index]?.Code !== conditionFailed);
      }
    });
  await Promise.all(chunksOf(messages, transactionRowsMax).map(storeSome));
}

/**
 * Stores a later leg of a send, unless its id exists, or an earlier leg is delivered or canceled. One transaction checks
 * and writes, so that no earlier leg can be delivered in between. The SDK uses one token for all tries of a call. So if a
 * transaction is canceled, no earlier try has stored the leg.
 */
export async function createLeg(
  ctx: CreateContext,
  leg: Message,
  earlierLegIds: readonly string[],
): Promise<'created' | 'exists' | 'sequence_ended'> {
  const isUndelivered = {
    ConditionExpression: `#status IN (${undeliveredStatuses.map((status) => `:${status}`).join(', ')})`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: Object.fromEntries(
      undeliveredStatuses.map((status) => [`:${status}`, status]),
    ),
  };
  const TableName = ctx.env.MESSAGES_TABLE;
  const checks = earlierLegIds.map((message_id) => ({
    ConditionCheck: { TableName, Key: { message_id }, ...isUndelivered },
  }));
  const put = { ...putIfFree(ctx, leg), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  try {
    await ctx.db.send(new TransactWriteCommand({ TransactItems: [{ Put: put }, ...checks] }));
    return 'created';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [stored, ...earlier] = error.CancellationReasons ?? [];
    if (stored?.Code === conditionFailed) {
      const row = stored.Item as Record<string, AttributeValue> | undefined;
      return row !== undefined && isOwn(leg, parseMessageRow(unmarshall(row))) ? 'created' : 'exists';
    }
    if (earlier.some(({ Code }) => Code === conditionFailed)) return 'sequence_ended';
    throw error;
  }
}

function putIfFree({ env }: CreateContext, message: Message) {
  return {
    TableName: env.MESSAGES_TABLE,
    Item: messageRowOf(message, env.RETENTION_DAYS),
    ConditionExpression: 'attribute_not_exists(message_id)',
  };
}

/** Returns undefined if the message does not exist. @throws ZodError if the row is malformed */
export function readMessage({ db, env }: ReadContext, message_id: string): Promise<Message | undefined> {
  return readRowShared(db, messageSchema(), env.MESSAGES_TABLE, { message_id });
}

/** Returns the messages that exist and are valid, in no particular order; at most 1,000 ids. */
export async function readMessages(
  { db, env }: ReadContext,
  messageIds: readonly string[],
  { consistent: ConsistentRead }: ReadOptions = { consistent: true },
): Promise<Message[]> {
  const rows = await batchRead(db, env.MESSAGES_TABLE, keysOf(messageIds), { ConsistentRead });
  return readableRows(messageSchema(), rows, 'message_id');
}

const filterFieldsRow = lazily(() => {
  const picked = ['message_id', ...filterFields] as const;
  type Picked = Record<(typeof picked)[number], true>;
  return z.pick(messageSchema(), Object.fromEntries(picked.map((field) => [field, true])) as Picked);
});

/**
 * Returns the filter fields of the messages that exist and are valid, in no particular order, with an eventually consistent
 * read; at most 1,000 ids.
 */
export async function readFilterFields({ db, env }: ReadContext, messageIds: readonly string[]) {
  const rows = await batchRead(db, env.MESSAGES_TABLE, keysOf(messageIds), {
    ConsistentRead: false,
    // Placeholders name the fields, because some are reserved words of DynamoDB.
    ProjectionExpression: ['message_id', ...filterFields.map((field) => `#${field}`)].join(', '),
    ExpressionAttributeNames: Object.fromEntries(filterFields.map((field) => [`#${field}`, field])),
  });
  return readableRows(filterFieldsRow(), rows, 'message_id');
}

function keysOf(messageIds: readonly string[]) {
  return messageIds.map((message_id) => ({ message_id }));
}

const messageKey = z.object({ message_id: z.string() });

/** Returns the id of the message with this carrier id, with an eventually consistent read. */
export async function findMessageByCarrierId(
  { db, env }: ReadContext,
  carrierMessageId: string,
): Promise<string | undefined> {
  const { Items = [] } = await db.send(
    new QueryCommand({
      TableName: env.MESSAGES_TABLE,
      IndexName: 'by-carrier-id',
      KeyConditionExpression: 'carrier_key = :id',
      ExpressionAttributeValues: { ':id': carrierMessageId },
      Limit: 1,
    }),
  );
  const [item] = Items;
  return item === undefined ? undefined : messageKey.parse(item).message_id;
}
