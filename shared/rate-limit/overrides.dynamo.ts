/** Reads and writes the `limit-overrides` table, which people also edit by hand. */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { policies } from '../contract/routes.ts';
import type { OverrideEditor, OverrideStore } from './overrides.ts';

/** Far more rows than there are endpoints. */
const maxRows = 100;

export function dynamoOverrideStore(dynamo: DynamoDBDocumentClient, tableName: string): OverrideStore {
  return {
    async rowsOf(clientId) {
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

export function dynamoOverrideEditor(dynamo: DynamoDBDocumentClient, tableName: string): OverrideEditor {
  return {
    async set(clientId, policy, { perMinute, perHour, perDay }) {
      const Item = {
        client_id: clientId,
        endpoint: policies[policy].endpoint,
        per_minute: perMinute,
        per_hour: perHour,
        per_day: perDay,
      };
      await dynamo.send(new PutCommand({ TableName: tableName, Item }));
    },
    async remove(clientId, endpoint) {
      const Key = { client_id: clientId, endpoint };
      await dynamo.send(new DeleteCommand({ TableName: tableName, Key }));
    },
    // Overrides are few, typed by people; there is no key by which to find those of all clients.
    async listRows(limit, after) {
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
