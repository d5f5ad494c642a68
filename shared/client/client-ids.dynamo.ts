/** The ids of all clients, page by page. Reads keys only, so an invalid row does no harm. */
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';

/** The ids of some clients, in the order of the table. */
export interface ClientIdPage {
  readonly clientIds: readonly string[];
  /** The last of them, if there may be more. */
  readonly next: string | undefined;
}

const keys = z.array(z.object({ client_id: z.string() }));
const pageSize = 500;

export function dynamoClientIds(client: DynamoDBDocumentClient, TableName: string) {
  return async (after: string | undefined): Promise<ClientIdPage> => {
    const { Items, LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        ProjectionExpression: 'client_id',
        Limit: pageSize,
        ExclusiveStartKey: after === undefined ? undefined : { client_id: after },
      }),
    );
    const clientIds = keys.parse(Items ?? []).map(({ client_id }) => client_id);
    return { clientIds, next: LastEvaluatedKey === undefined ? undefined : clientIds.at(-1) };
  };
}
