/** The api-keys table, with the hash of the key as its primary key. */
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { queryRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type ApiKey, apiKeyRow } from './client.ts';

export type ApiKeyStore = ReturnType<typeof dynamoApiKeyStore>;

export function dynamoApiKeyStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    find: (keyHash: string): Promise<ApiKey | undefined> =>
      readRow(dynamo, apiKeyRow, { TableName, Key: { key_hash: keyHash }, ConsistentRead: true }),
    /** Without a condition, because the SDK repeats a write whose response was lost: a row with this hash is this key. */
    async create(key: ApiKey): Promise<void> {
      await dynamo.send(new PutCommand({ TableName, Item: key }));
    },
    /** Newest first, without those that a person made invalid: they open nothing, and must not hide the others. */
    async listOf(clientId: string): Promise<readonly ApiKey[]> {
      const rows = queryRows(dynamo, {
        TableName,
        IndexName: 'by-client',
        KeyConditionExpression: 'client_id = :client_id',
        ExpressionAttributeValues: { ':client_id': clientId },
        ScanIndexForward: false,
      });
      const parsed = await Array.fromAsync(rows, (row) => apiKeyRow.safeParse(row));
      return parsed.flatMap(({ success, data }) => (success ? [data] : []));
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
