/** The api-keys table, with the hash of the key as its primary key. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type ApiKey, apiKeyRow } from './client.ts';

export type ApiKeyStore = ReturnType<typeof dynamoApiKeyStore>;

export function dynamoApiKeyStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    async find(keyHash: string): Promise<ApiKey | undefined> {
      const { Item } = await dynamo.send(
        new GetCommand({ TableName, Key: { key_hash: keyHash }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : apiKeyRow.parse(Item);
    },
    async create(key: ApiKey): Promise<void> {
      await dynamo.send(
        new PutCommand({ TableName, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' }),
      );
    },
    /** Newest first. */
    async listOf(clientId: string): Promise<readonly ApiKey[]> {
      const keys: ApiKey[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await dynamo.send(
          new QueryCommand({
            TableName,
            IndexName: 'by-client',
            KeyConditionExpression: 'client_id = :client_id',
            ExpressionAttributeValues: { ':client_id': clientId },
            ScanIndexForward: false,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        for (const item of page.Items ?? []) keys.push(apiKeyRow.parse(item));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      return keys;
    },
    async revoke(keyHash: string, at: Date): Promise<void> {
      await dynamo.send(
        new UpdateCommand({
          TableName,
          Key: { key_hash: keyHash },
          // A repeated revocation keeps the time of the first.
          UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
          ConditionExpression: 'attribute_exists(key_hash)',
          ExpressionAttributeValues: { ':at': at.toISOString() },
        }),
      );
    },
  };
}
