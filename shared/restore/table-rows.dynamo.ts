/** Reads and writes rows in DynamoDB's own form, so that a copied row is exactly the same. */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '../contract/tables.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { retryRemaining } from '../platform/retry.ts';
import type { Item } from './side-tables.dynamo.ts';

/** The tables with point-in-time recovery, in the order of copying. The tables that control sending come first. */
export const restorableTables = [
  'clients',
  'client-secrets',
  'api-keys',
  'limit-overrides',
  'senders',
  'webhook-endpoints',
  'otp-holds',
  'suppressions',
  'whatsapp-windows',
  'activity-log',
  'message-usage',
  'batches',
  'webhook-deliveries',
  'messages',
] as const satisfies readonly TableName[];

export type RestorableTable = (typeof restorableTables)[number];

export interface StackTable {
  readonly name: string;
  readonly keys: readonly string[];
}

export function keyOf({ keys }: StackTable, item: Item): string {
  return keys.map((key) => item[key]?.S ?? '').join(' ');
}

const readAtOnce = 100;

/** Returns the current rows with the keys of `items`, by `keyOf`. */
export async function presentRows(
  { db }: Context,
  table: StackTable,
  items: readonly Item[],
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  const keys = items.map((item): Item => {
    const pairs = table.keys.map((key) => [key, item[key]]);
    return Object.fromEntries(pairs) as Item;
  });
  for (const chunk of chunksOf(keys, readAtOnce)) {
    await retryRemaining(chunk, async (left) => {
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetItemCommand({
          RequestItems: { [table.name]: { Keys: [...left], ConsistentRead: true } },
        }),
      );
      for (const item of Responses?.[table.name] ?? []) found.set(keyOf(table, item), item);
      return UnprocessedKeys?.[table.name]?.Keys ?? [];
    });
  }
  return found;
}

/** Writes the row unless its key exists. */
export async function createRow({ db }: Context, table: StackTable, Item: Item): Promise<void> {
  try {
    await db.send(
      new PutItemCommand({
        TableName: table.name,
        Item,
        ConditionExpression: 'attribute_not_exists(#key)',
        ExpressionAttributeNames: { '#key': table.keys[0] ?? '' },
      }),
    );
  } catch (error) {
    // If the SDK retries the call, it finds the row that the first try wrote.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

export async function rowsOfPartition(
  { db }: Context,
  table: StackTable,
  value: string,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': table.keys[0] ?? '' },
        ExpressionAttributeValues: { ':value': { S: value } },
        ExclusiveStartKey: after,
      }),
    );
    found.push(...Items);
    after = LastEvaluatedKey;
  } while (after !== undefined);
  return found;
}
