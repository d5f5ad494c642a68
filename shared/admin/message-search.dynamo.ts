/** Finds messages by client, recipient or reference, newest first. A client's messages are in several shards, merged by time. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Message } from '../message/message.ts';
import { listShards } from '../message/store/message-list.ts';
import type { MessageStore } from '../message/store/message-store.ts';

export type MessageFilter =
  | { readonly clientId: string; readonly reference?: string | undefined }
  | { readonly recipient: string };

interface MessagePage {
  readonly messages: readonly Message[];
  /** Present if there may be more. */
  readonly nextCursor?: string;
}

/** An index partition, sorted by `list_at`: a time, and different for every message. */
interface Run {
  readonly index: 'by-client' | 'by-reference' | 'by-recipient';
  readonly key: 'list_key' | 'reference_key' | 'recipient';
  readonly value: string;
}

const found = z.object({ message_id: z.string(), list_at: z.string() });
type Found = z.output<typeof found>;

/** Sorts after every time. */
const end = '~';

export type MessageSearch = ReturnType<typeof dynamoMessageSearch>;

export function dynamoMessageSearch(
  client: DynamoDBDocumentClient,
  TableName: string,
  messages: Pick<MessageStore, 'getMany'>,
) {
  return {
    async search(filter: MessageFilter, limit: number, cursor: string | undefined): Promise<MessagePage> {
      // One more than is shown, to know whether there is a next page.
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
