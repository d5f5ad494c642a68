/** The api-keys table, with the hash of the key as its primary key. */
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { queryRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type ApiKey, apiKeyRow } from './client.ts';

export type ApiKeyStore = ReturnType<typeof dynamoApiKeyStore>;

export function dynamoApiKeyStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    find: (keyHash: string): Promise<ApiKey | undefined> =>
      readRow(dynamo, apiKeyRow, { TableName, Key: { key_hash: keyHash }, ConsistentRead: true }),
    async create(key: ApiKey): Promise<void> {
      await dynamo.send(
        new PutCommand({ TableName, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' }),
      );
    },
    /** Newest first. */
    async listOf(clientId: string): Promise<readonly ApiKey[]> {
      const rows = queryRows(dynamo, {
        TableName,
        IndexName: 'by-client',
        KeyConditionExpression: 'client_id = :client_id',
        ExpressionAttributeValues: { ':client_id': clientId },
        ScanIndexForward: false,
      });
      return Array.fromAsync(rows, (row) => apiKeyRow.parse(row));
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
