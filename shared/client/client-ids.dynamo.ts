/** The ids of all clients, page by page. Reads keys only, so an invalid row does no harm. */
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ClientIdPage } from './client-store.ts';

const keys = z.array(z.object({ client_id: z.string() }));
const pageSize = 500;

export function dynamoClientIds(client: DynamoDBDocumentClient, TableName: string) {
  return async (after: string | undefined): Promise<ClientIdPage> => {
    const { Items, LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        ProjectionExpression: 'client_id',
        Limit: pageSize,
        ...(after === undefined ? {} : { ExclusiveStartKey: { client_id: after } }),
      }),
    );
    const clientIds = keys.parse(Items ?? []).map(({ client_id }) => client_id);
    return { clientIds, next: LastEvaluatedKey === undefined ? undefined : clientIds.at(-1) };
  };
}
