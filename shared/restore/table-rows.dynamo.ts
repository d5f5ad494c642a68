/**
 * The rows of the tables that are restored: in which order, how each is treated, and how they are read and written as DynamoDB
 * stores them, so that a restored row is exactly what it was.
 */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '../contract/tables.ts';
import { chunksOf } from '../platform/long-lists.ts';
import { retryRemaining } from '../platform/retry.ts';
import type { Item } from './side-tables.dynamo.ts';

/** Rows of a table as they are stored, and how one that exists is treated. */
interface RestoreRule {
  /**
   * Whether `--replace` puts a row back that exists and differs. Everywhere else the row that exists is the newer one, and
   * is kept: an opt-out, a revoked key, or a disabled client must not be undone.
   */
  readonly replaceable?: boolean;
  /** The kind of entry of the Activity Log that says that a row was deleted on purpose. */
  readonly deletedBy?: 'limits_removed' | 'sender_removed' | 'webhook_endpoint_deleted';
  /**
   * The attributes that are counts, which only grow. A row that has less than it had at the time was lost and is counted anew,
   * so what it had is added to it.
   */
  readonly counts?: RegExp;
}

/** The attributes of a row of `message-usage` that have numbers of messages. */
export const messagesAttribute = /^[sw]\..*\.m$/;

/** The tables with point-in-time recovery, in the order in which they are restored: what decides about sending comes first. */
const restoreRules = {
  clients: {},
  'client-secrets': {},
  'api-keys': {},
  'limit-overrides': { replaceable: true, deletedBy: 'limits_removed' },
  senders: { replaceable: true, deletedBy: 'sender_removed' },
  'webhook-endpoints': { replaceable: true, deletedBy: 'webhook_endpoint_deleted' },
  'otp-holds': {},
  suppressions: {},
  'whatsapp-windows': {},
  'activity-log': {},
  usage: { counts: /^webhooks_(?!total_ms)/ },
  // `s.t.GB.d.m` is the messages of one combination (shared/usage/amounts.ts); states change, their sum does not.
  'message-usage': { counts: messagesAttribute },
  batches: {},
  'due-items': {},
  'webhook-deliveries': {},
  messages: {},
} as const satisfies Partial<Record<TableName, RestoreRule>>;

export type RestorableTable = keyof typeof restoreRules;

export const restorableTables = Object.keys(restoreRules) as readonly RestorableTable[];

export function ruleOf(table: RestorableTable): RestoreRule {
  return restoreRules[table];
}

export interface StackTable {
  readonly name: string;
  readonly keys: readonly string[];
}

export type TableRows = ReturnType<typeof dynamoTableRows>;

export function keyOf({ keys }: StackTable, item: Item): string {
  return keys.map((key) => item[key]?.S ?? '').join(' ');
}

const readAtOnce = 100;

export function dynamoTableRows(client: Pick<DynamoDBClient, 'send'>) {
  return {
    /** The present rows with the keys of these, by `keyOf`. */
    async present(table: StackTable, items: readonly Item[]): Promise<ReadonlyMap<string, Item>> {
      const found = new Map<string, Item>();
      const keys = items.map((item): Item => {
        const pairs = table.keys.map((key) => [key, item[key]]);
        return Object.fromEntries(pairs) as Item;
      });
      for (const chunk of chunksOf(keys, readAtOnce)) {
        await retryRemaining(chunk, async (left) => {
          const { Responses, UnprocessedKeys } = await client.send(
            new BatchGetItemCommand({
              RequestItems: { [table.name]: { Keys: [...left], ConsistentRead: true } },
            }),
          );
          for (const item of Responses?.[table.name] ?? []) found.set(keyOf(table, item), item);
          return UnprocessedKeys?.[table.name]?.Keys ?? [];
        });
      }
      return found;
    },

    /** Writes the row; where `onlyIfMissing`, only if there is none with its key. */
    async put(table: StackTable, Item: Item, onlyIfMissing: boolean): Promise<void> {
      try {
        await client.send(
          new PutItemCommand({
            TableName: table.name,
            Item,
            ...(onlyIfMissing
              ? {
                  ConditionExpression: 'attribute_not_exists(#key)',
                  ExpressionAttributeNames: { '#key': table.keys[0] ?? '' },
                }
              : {}),
          }),
        );
      } catch (error) {
        // A repeated call finds the row that its first try wrote.
        if (!(onlyIfMissing && error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async partition(table: StackTable, value: string): Promise<readonly Item[]> {
      const found: Item[] = [];
      let after: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
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
    },
  };
}
