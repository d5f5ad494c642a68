/** Reads and writes the `limit-overrides` table, which people also edit by hand. */
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Limits, type PolicyName, policies } from '../routes.ts';
import type { OverrideStore } from './overrides.ts';

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

/** What an administrator sets from a shell or the dashboard; the same row as one typed in the console. */
export interface OverrideEditor {
  set(clientId: string, policy: PolicyName, limits: Partial<Limits>): Promise<void>;
  remove(clientId: string, policy: PolicyName): Promise<void>;
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
    async remove(clientId, policy) {
      const Key = { client_id: clientId, endpoint: policies[policy].endpoint };
      await dynamo.send(new DeleteCommand({ TableName: tableName, Key }));
    },
  };
}
