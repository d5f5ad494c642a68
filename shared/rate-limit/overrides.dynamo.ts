/** Reads and writes the `limit-overrides` table, which people also edit by hand. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Limits, type PolicyName, policies } from '../contract/routes.ts';
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
    async set(
      clientId: string,
      policy: PolicyName,
      { perMinute, perHour, perDay }: Partial<Limits>,
    ): Promise<void> {
      const Item = {
        client_id: clientId,
        endpoint: policies[policy].endpoint,
        per_minute: perMinute,
        per_hour: perHour,
        per_day: perDay,
      };
      await dynamo.send(new PutCommand({ TableName: tableName, Item }));
    },
    /** `endpoint` as it is in the row, which need not be one that exists. */
    async remove(clientId: string, endpoint: string): Promise<void> {
      const Key = { client_id: clientId, endpoint };
      await dynamo.send(new DeleteCommand({ TableName: tableName, Key }));
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
