/** Finds messages by the indexes of their table; a client's list is several shards, merged by time. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { listShards } from '../message/store/message-list.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import type { MessageFilter, MessageSearch } from './message-search.ts';

/** One run of rows that are in order already: `list_at` is a time, and no two messages have the same. */
interface Run {
  readonly index: 'by-client' | 'by-reference' | 'by-recipient';
  readonly key: 'list_key' | 'reference_key' | 'recipient';
  readonly value: string;
}

const found = z.object({ message_id: z.string(), list_at: z.string() });
type Found = z.output<typeof found>;

/** Sorts after every time. */
const end = '~';

export function dynamoMessageSearch(
  client: DynamoDBDocumentClient,
  TableName: string,
  messages: Pick<MessageStore, 'getMany'>,
): MessageSearch {
  return {
    async search(filter, limit, cursor) {
      // One more than is wanted tells whether there is a page after this one.
      const runs = await Promise.all(runsOf(filter).map((run) => newestOf(run, limit + 1, cursor ?? end)));
      const merged = runs.flat().toSorted((one, other) => (one.list_at < other.list_at ? 1 : -1));
      const shown = merged.slice(0, limit);
      const rows = await messages.getMany(shown.map(({ message_id }) => message_id));
      const byId = new Map(rows.map((message) => [message.message_id, message]));
      const last = shown.at(-1);
      return {
        messages: shown.map(({ message_id }) => byId.get(message_id)).filter((row) => row !== undefined),
        ...(merged.length > limit && last !== undefined ? { nextCursor: last.list_at } : {}),
      };
    },
  };

  async function newestOf(run: Run, Limit: number, before: string): Promise<Found[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: run.index,
        KeyConditionExpression: '#key = :value AND list_at < :before',
        ExpressionAttributeNames: { '#key': run.key },
        ExpressionAttributeValues: { ':value': run.value, ':before': before },
        ScanIndexForward: false,
        Limit,
      }),
    );
    return Items.map((item) => found.parse(item));
  }
}

function runsOf(filter: MessageFilter): Run[] {
  if ('recipient' in filter) {
    return [{ index: 'by-recipient', key: 'recipient', value: filter.recipient }];
  }
  const { clientId, reference } = filter;
  if (reference !== undefined) {
    return [{ index: 'by-reference', key: 'reference_key', value: `${clientId}#${reference}` }];
  }
  return Array.from({ length: listShards }, (_shard, shard) => ({
    index: 'by-client',
    key: 'list_key',
    value: `${clientId}#${shard}`,
  }));
}
