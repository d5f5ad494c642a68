/** One row of the suppressions table, under a key that no client has. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ProgressStore } from './opt-out-progress.ts';

const time = z.pipe(
  z.iso.datetime(),
  z.transform((text) => new Date(text)),
);

const progressRow = z.object({
  started_at: time,
  since: z.exactOptional(time),
  phase: z.enum(['list', 'suppressions']),
  position: z.exactOptional(z.string()),
});

export function dynamoOptOutProgress(
  client: DynamoDBDocumentClient,
  TableName: string,
  listName: string,
): ProgressStore {
  const Key = { client_id: '#opt-out-list', recipient: listName };
  return {
    async read() {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (Item === undefined) return undefined;
      const { started_at: startedAt, ...rest } = progressRow.parse(Item);
      return { startedAt, ...rest };
    },
    async write({ startedAt, since, phase, position }) {
      const Item = {
        ...Key,
        started_at: startedAt.toISOString(),
        phase,
        ...(since === undefined ? {} : { since: since.toISOString() }),
        ...(position === undefined ? {} : { position }),
      };
      await client.send(new PutCommand({ TableName, Item }));
    },
  };
}
