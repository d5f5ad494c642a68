/** The progress is one row of the suppressions table, under a key that no client has. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ProgressStore } from './compare-opt-outs.ts';

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
      // A person made the row invalid: everything is compared, where a change twice changes nothing.
      const row = progressRow.safeParse(Item);
      if (!row.success) return undefined;
      const { started_at: startedAt, ...rest } = row.data;
      return { startedAt, ...rest };
    },
    async write({ startedAt, since, phase, position }) {
      const times = { started_at: startedAt.toISOString(), since: since?.toISOString() };
      const Item = { ...Key, ...times, phase, position };
      await client.send(new PutCommand({ TableName, Item }));
    },
  };
}
