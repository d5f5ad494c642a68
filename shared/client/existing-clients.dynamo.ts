/** Which of some ids are clients. Clients are never deleted, so an id that was found is not read again. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../platform/aws/batch-read.dynamo.ts';
import { isClientId } from './client.ts';

export function dynamoExistingClients(client: DynamoDBDocumentClient, tableName: string) {
  const known = new Set<string>();
  return async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const unknown = ids.filter((id) => isClientId(id) && !known.has(id));
    const keys = unknown.map((client_id) => ({ client_id }));
    const rows = await batchRead(client, tableName, keys, { ProjectionExpression: 'client_id' });
    for (const { client_id } of rows) known.add(String(client_id));
    return known;
  };
}
