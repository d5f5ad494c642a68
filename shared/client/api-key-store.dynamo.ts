/** Keeps API keys under the hash of each, so that a request finds its key by one read. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type ApiKey, apiKeyRow } from './client.ts';
import type { ApiKeyStore } from './client-store.ts';

export function dynamoApiKeyStore(dynamo: DynamoDBDocumentClient, TableName: string): ApiKeyStore {
  return {
    async find(keyHash) {
      const { Item } = await dynamo.send(
        new GetCommand({ TableName, Key: { key_hash: keyHash }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : apiKeyRow.parse(Item);
    },
    async create(key) {
      await dynamo.send(
        new PutCommand({ TableName, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' }),
      );
    },
    async listOf(clientId) {
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
    async revoke(keyHash, at) {
      await dynamo.send(
        new UpdateCommand({
          TableName,
          Key: { key_hash: keyHash },
          // The first revocation is the one that counts.
          UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :at)',
          ConditionExpression: 'attribute_exists(key_hash)',
          ExpressionAttributeValues: { ':at': at.toISOString() },
        }),
      );
    },
  };
}
