/** The progress of the scan for missed messages: one row of the due-items table, in its own partition. */
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ScanProgressStore } from './add-missed-messages.ts';

const key = { list: 'recovery', position: 'progress' };
const time = z.iso.datetime();
const timeRange = z.object({ since: time, until: time });
const progressRow = z.object({
  from: time,
  until: time,
  after: z.optional(z.string()),
  open: z.optional(z.object({ next: z.optional(z.string()), before: z.record(z.string(), z.string()) })),
  done: z.boolean(),
  events: z.optional(timeRange),
  lost: z.optional(timeRange),
});

export function dynamoScanProgress(client: DynamoDBDocumentClient, TableName: string): ScanProgressStore {
  return {
    async read() {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: '#list = :list AND #position = :position',
          ExpressionAttributeNames: { '#list': 'list', '#position': 'position' },
          ExpressionAttributeValues: { ':list': key.list, ':position': key.position },
          ConsistentRead: true,
        }),
      );
      // An edit made the row invalid: the scan starts again. A message that is added twice is only reviewed twice.
      const row = progressRow.safeParse(Items[0]);
      if (!row.success) return undefined;
      const { from, until, ...rest } = row.data;
      return { ...rest, from: new Date(from), until: new Date(until) };
    },

    async write({ from, until, ...rest }) {
      const row = { ...key, ...rest, from: from.toISOString(), until: until.toISOString() };
      await client.send(new PutCommand({ TableName, Item: row }));
    },
  };
}
