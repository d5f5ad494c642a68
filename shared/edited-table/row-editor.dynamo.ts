/** Reads and writes a table that people also edit by hand. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../platform/aws/conditional-write.dynamo.ts';
import { scanRows } from '../platform/aws/read-rows.dynamo.ts';
import { setOrRemove } from '../platform/aws/update-expression.dynamo.ts';
import type { EditedRow } from './edited-row.ts';

/** Far more rows than a client has endpoints or countries. */
const rowsMax = 500;

/** `client_id` and the table's sort key. */
export type RowKey = Readonly<Record<string, string>>;

export type RowReader = ReturnType<typeof dynamoRowReader>;

export function dynamoRowReader(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    async rowsOf(clientId: string): Promise<EditedRow[]> {
      const { Items = [] } = await dynamo.send(
        new QueryCommand({
          TableName,
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
export function dynamoAllRows(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    /** @param enough - no more rows are read */
    async allRows(enough = Number.POSITIVE_INFINITY): Promise<readonly EditedRow[]> {
      const rows: EditedRow[] = [];
      for await (const row of scanRows(dynamo, { TableName })) {
        if (rows.push(row) >= enough) break;
      }
      return rows;
    },
  };
}

export type RowEditor = ReturnType<typeof dynamoRowEditor>;

export function dynamoRowEditor(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Sets these attributes of a row, and removes those that are undefined; others remain. */
    async write(Key: RowKey, values: Readonly<Record<string, unknown>>): Promise<void> {
      await dynamo.send(new UpdateCommand({ TableName, Key, ...setOrRemove(values) }));
    },
    /**
     * Deletes a row, if it exists. It is marked before, because the stream record of a deletion has only the row as it was.
     *
     * @param changedBy - who deletes it
     */
    async remove(Key: RowKey, changedBy: string): Promise<void> {
      const { applied: marked } = await conditionalUpdate(dynamo, {
        TableName,
        Key,
        UpdateExpression: 'SET changed_by = :changed_by',
        ConditionExpression: 'attribute_exists(client_id)',
        ExpressionAttributeValues: { ':changed_by': changedBy },
      });
      if (marked) await dynamo.send(new DeleteCommand({ TableName, Key }));
    },
  };
}
