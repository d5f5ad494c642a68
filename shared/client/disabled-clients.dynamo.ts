/** Whether a client is disabled, at most 45 s old. Reads that attribute only, so other invalid ones do no harm. */
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { accessCache } from '../contract/access-cache.ts';
import type { Clock } from '../platform/clock.ts';
import { CachedReader } from '../platform/expiring-cache.ts';

export function disabledClients(client: DynamoDBDocumentClient, TableName: string, clock: Clock) {
  const cache = new CachedReader(read, accessCache, clock);

  async function read(clientId: string): Promise<{ readonly disabled: boolean }> {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: { client_id: clientId }, ProjectionExpression: 'disabled' }),
    );
    return { disabled: Item?.disabled === true };
  }

  return async (clientId: string): Promise<boolean> => (await cache.get(clientId))?.disabled === true;
}
