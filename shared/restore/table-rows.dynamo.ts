/** Reads and writes rows as DynamoDB stores them, so that a restored row is exactly what it was. */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../platform/long-lists.ts';
import { retryRemaining } from '../platform/retry.ts';
import type { Item } from './side-tables.dynamo.ts';

/** A table of the stack, with the names of its keys. */
export interface StackTable {
  readonly name: string;
  readonly keys: readonly string[];
}

export interface TableRows {
  /** The present rows with the keys of these, by `keyOf`. */
  present(table: StackTable, items: readonly Item[]): Promise<ReadonlyMap<string, Item>>;
  /** Writes the row; where `onlyIfMissing`, only if there is none with its key. */
  put(table: StackTable, item: Item, onlyIfMissing: boolean): Promise<void>;
  /** All rows of one partition. */
  partition(table: StackTable, value: string): Promise<readonly Item[]>;
}

export function keyOf({ keys }: StackTable, item: Item): string {
  return keys.map((key) => item[key]?.S ?? '').join(' ');
}

/** The maximum of `BatchGetItem`. */
const readAtOnce = 100;

export function dynamoTableRows(client: Pick<DynamoDBClient, 'send'>): TableRows {
  return {
    async present(table, items) {
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

    async put(table, Item, onlyIfMissing) {
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

    async partition(table, value) {
      const found: Item[] = [];
      let after: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: table.name,
            KeyConditionExpression: '#key = :value',
            ExpressionAttributeNames: { '#key': table.keys[0] ?? '' },
            ExpressionAttributeValues: { ':value': { S: value } },
            ...(after === undefined ? {} : { ExclusiveStartKey: after }),
          }),
        );
        found.push(...Items);
        after = LastEvaluatedKey;
      } while (after !== undefined);
      return found;
    },
  };
}
