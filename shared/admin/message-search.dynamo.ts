/** Finds messages by the indexes of their table; a client's list is four shards, merged by time. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { GatewayError } from '../errors.ts';
import { listShards, type MessageStore } from '../message/message-store.ts';
import type { MessageFilter, MessageSearch } from './message-search.ts';

/** One run of rows that are in order already. */
interface Run {
  readonly index: 'by-client' | 'by-reference' | 'by-recipient';
  readonly key: 'list_key' | 'reference_key' | 'recipient';
  readonly value: string;
}

const found = z.object({ message_id: z.string(), created_at: z.string() });
type Found = z.output<typeof found>;

/** Where each run goes on: after that row, from its start (null), or not at all. */
const position = z.union([found, z.null(), z.literal('end')]);
const positions = z.array(position);
type Position = z.output<typeof position>;

export function dynamoMessageSearch(
  client: DynamoDBDocumentClient,
  TableName: string,
  messages: Pick<MessageStore, 'getMany'>,
): MessageSearch {
  return {
    async search(filter, limit, cursor) {
      const runs = runsOf(filter);
      const from = cursor === undefined ? runs.map(() => null) : readCursor(cursor, runs.length);
      const pages = await Promise.all(
        runs.map((run, index) => {
          const start = from[index] ?? null;
          return start === 'end' ? [] : nextOf(run, limit, start);
        }),
      );
      const merged = pages
        .flatMap((page, run) => page.map((row) => ({ run, row })))
        .toSorted((one, other) => other.row.created_at.localeCompare(one.row.created_at))
        .slice(0, limit);
      const next = runs.map((_run, index): Position => {
        const taken = merged.filter(({ run }) => run === index);
        const page = pages[index] ?? [];
        if (taken.length === page.length && page.length < limit) return 'end';
        return taken.at(-1)?.row ?? from[index] ?? null;
      });
      const ids = merged.map(({ row }) => row.message_id);
      const rows = new Map((await messages.getMany(ids)).map((message) => [message.message_id, message]));
      return {
        messages: ids.map((id) => rows.get(id)).filter((message) => message !== undefined),
        ...(next.every((end) => end === 'end') ? {} : { nextCursor: writeCursor(next) }),
      };
    },
  };

  async function nextOf(run: Run, Limit: number, start: Found | null): Promise<Found[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: run.index,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': run.key },
        ExpressionAttributeValues: { ':value': run.value },
        ScanIndexForward: false,
        Limit,
        ...(start === null ? {} : { ExclusiveStartKey: { ...start, [run.key]: run.value } }),
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

function writeCursor(next: readonly Position[]): string {
  return Buffer.from(JSON.stringify(next)).toString('base64url');
}

function readCursor(cursor: string, runs: number): Position[] {
  try {
    const read = positions.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    if (read.length === runs) return read;
  } catch {
    // Told below: whoever made it up has no use for the reason.
  }
  throw new GatewayError('invalid_request', 'The cursor is not valid.', {
    details: [{ field: 'cursor', message: 'Give the next_cursor of an answer to the same search.' }],
  });
}
