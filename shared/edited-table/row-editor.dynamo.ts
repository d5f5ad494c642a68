/** Reads and writes a table that people also edit by hand. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { conditionHolds } from '../platform/aws/conditional-write.dynamo.ts';
import type { EditedRow } from './edited-row.ts';

/** Far more rows than a client has endpoints or countries. */
const rowsMax = 500;

/** `client_id` and the table's sort key. */
export type RowKey = Readonly<Record<string, string>>;

export type RowReader = ReturnType<typeof dynamoRowReader>;

export function dynamoRowReader(dynamo: DynamoDBDocumentClient, tableName: string) {
  return {
    async rowsOf(clientId: string): Promise<EditedRow[]> {
      const { Items = [] } = await dynamo.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'client_id = :client_id',
          ExpressionAttributeValues: { ':client_id': clientId },
          Limit: rowsMax,
        }),
      );
      return Items;
    },
  };
}

export type AllRows = ReturnType<typeof dynamoAllRows>;

/** The rows of all clients, by a scan: people enter few of them. */
export function dynamoAllRows(dynamo: DynamoDBDocumentClient, tableName: string) {
  return {
    /** @param enough - no further page is read once there are so many rows */
    async allRows(enough = Number.POSITIVE_INFINITY): Promise<readonly EditedRow[]> {
      const rows: EditedRow[] = [];
      let after: RowKey | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await dynamo.send(
          new ScanCommand({
            TableName: tableName,
            ...(after === undefined ? {} : { ExclusiveStartKey: after }),
          }),
        );
        rows.push(...Items);
        after = LastEvaluatedKey;
      } while (after !== undefined && rows.length < enough);
      return rows;
    },
  };
}

export type RowEditor = ReturnType<typeof dynamoRowEditor>;

export function dynamoRowEditor(dynamo: DynamoDBDocumentClient, tableName: string) {
  return {
    /** Sets these attributes of a row, and removes those that are undefined; others remain. */
    async write(Key: RowKey, values: Readonly<Record<string, unknown>>): Promise<void> {
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
    async remove(Key: RowKey, changedBy: string): Promise<void> {
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
  };
}
