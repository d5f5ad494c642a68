/** Reads and writes the `limit-overrides` table, which people also edit by hand. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionHolds } from '../platform/aws/conditional-write.dynamo.ts';
import type { OverrideRow } from './override-row.ts';
import type { OverrideKey } from './overrides.ts';

/** Far more rows than there are endpoints. */
const maxRows = 100;

export type OverrideStore = ReturnType<typeof dynamoOverrideStore>;

export function dynamoOverrideStore(dynamo: DynamoDBDocumentClient, tableName: string) {
  return {
    async rowsOf(clientId: string): Promise<OverrideRow[]> {
      const { Items = [] } = await dynamo.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'client_id = :client_id',
          ExpressionAttributeValues: { ':client_id': clientId },
          Limit: maxRows,
        }),
      );
      return Items;
    },
  };
}

export type OverrideEditor = ReturnType<typeof dynamoOverrideEditor>;

export function dynamoOverrideEditor(dynamo: DynamoDBDocumentClient, tableName: string) {
  return {
    /** Sets these attributes of a row, and removes those that are undefined; others remain. */
    async write(Key: OverrideKey, values: Readonly<Record<string, unknown>>): Promise<void> {
      const names = Object.keys(values);
      const list = (verb: string, items: readonly string[]): string =>
        items.length === 0 ? '' : `${verb} ${items.join(', ')}`;
      const set = names.filter((name) => values[name] !== undefined);
      const removed = names.filter((name) => values[name] === undefined);
      await dynamo.send(
        new UpdateCommand({
          TableName: tableName,
          Key,
          UpdateExpression: [
            list(
              'SET',
              set.map((name) => `#${name} = :${name}`),
            ),
            list(
              'REMOVE',
              removed.map((name) => `#${name}`),
            ),
          ].join(' '),
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(set.map((name) => [`:${name}`, values[name]])),
        }),
      );
    },
    /**
     * Deletes a row, if it exists. It is marked before, because the stream record of a deletion has only the row as it was.
     *
     * @param changedBy - who deletes it
     */
    async remove(Key: OverrideKey, changedBy: string): Promise<void> {
      const marked = await conditionHolds(
        dynamo.send(
          new UpdateCommand({
            TableName: tableName,
            Key,
            UpdateExpression: 'SET changed_by = :changed_by',
            ConditionExpression: 'attribute_exists(client_id)',
            ExpressionAttributeValues: { ':changed_by': changedBy },
          }),
        ),
      );
      if (marked) await dynamo.send(new DeleteCommand({ TableName: tableName, Key }));
    },
    /** The rows of all clients, a page at a time: a scan, because people enter only few of them. */
    async listRows(
      limit: number,
      after?: OverrideKey,
    ): Promise<{ rows: OverrideRow[]; next: OverrideKey | undefined }> {
      const { Items = [], LastEvaluatedKey } = await dynamo.send(
        new ScanCommand({
          TableName: tableName,
          Limit: limit,
          ...(after === undefined ? {} : { ExclusiveStartKey: after }),
        }),
      );
      const next = overrideKey.safeParse(LastEvaluatedKey);
      return { rows: Items, next: next.success ? next.data : undefined };
    },
  };
}

const overrideKey = z.object({ client_id: z.string(), endpoint: z.string() });
