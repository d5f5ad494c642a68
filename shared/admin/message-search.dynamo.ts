/**
 * Finds messages by clients, recipient or reference, newest first. The number of messages read for a page is limited, so a
 * page may be short if few messages match.
 */

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Mode, modeOf } from '../contract/mode.ts';
import type { Message } from '../message/message.ts';
import {
  type Direction,
  keysInPartition,
  newestFirst,
  partitionsOf,
  takeKeys,
} from '../message/store/message-list.dynamo.ts';
import { readMessages } from '../message/store/messages.dynamo.ts';
import type { Context } from '../platform/context.ts';

export type MessageFilter =
  | { readonly clientIds: readonly string[] }
  | { readonly clientId: string; readonly reference?: string | undefined }
  /** The index by number contains the messages of both modes; `live` by default. */
  | { readonly recipient: string; readonly mode?: Mode };

/** The fields that no index contains: the search reads each message to compare them. */
export type MessageCondition = Readonly<
  Partial<Record<'status' | 'channel' | 'error_code' | 'client_id' | 'recipient', string | undefined>>
>;

/**
 * The maximum number of messages that one page reads, even if few match the condition. The next page continues at this
 * message.
 */
const lookedAtMax = 1000;
/** The maximum for one DynamoDB call. */
const readAtOnce = 100;
/** These values sort before and after every position. */
const [first, last] = ['0', '~'];

export function dynamoMessageSearch(ctx: Context<'MESSAGES_TABLE'>) {
  return {
    async search(
      filter: MessageFilter,
      {
        limit,
        cursor = last,
        since = first,
        until,
        condition = {},
        direction = 'all',
      }: {
        /** ISO 8601; both ends are included. */
        readonly since?: string | undefined;
        readonly until?: string | undefined;
        readonly limit: number;
        readonly cursor?: string | undefined;
        readonly condition?: MessageCondition;
        readonly direction?: Direction | undefined;
      },
    ): Promise<ReturnType<typeof pageEnding>> {
      const end = until === undefined ? last : `${until}#${last}`;
      const range = { from: since, before: cursor < end ? cursor : end };
      // DynamoDB rejects a range whose end is before its start.
      if (range.from > range.before) return { messages: [] };
      const wanted = Object.entries(condition).filter(([, value]) => value !== undefined);
      const isNarrowed = wanted.length > 0 || direction !== 'all' || 'recipient' in filter;
      // Reads one message more than the page shows, to find out if there is a next page.
      const atOnce = isNarrowed ? readAtOnce : limit + 1;
      const keys = newestFirst(
        indexesOf(filter, direction).map((index) => keysInPartition(ctx, index, range, atOnce)),
      );
      const found: { readonly message: Message; readonly position: string }[] = [];
      for (let lookedAt = 0; lookedAt < lookedAtMax; ) {
        const some = await takeKeys(keys, atOnce);
        const rows = await readMessages(
          ctx,
          some.map(({ messageId }) => messageId),
          // If there is a condition, most messages do not match. So these reads are eventually consistent, at half the
          // price.
          { consistent: !isNarrowed },
        );
        const byId = new Map(rows.map((message) => [message.message_id, message]));
        for (const { messageId, position } of some) {
          const message = byId.get(messageId);
          if (message === undefined || !isIn(message, filter)) continue;
          if (isOf(message, direction) && matches(message, wanted)) {
            found.push({ message, position });
          }
        }
        const shown = found.slice(0, limit);
        const next = pageEnding(shown.map(({ message }) => message));
        if (found.length > limit) return pageEnding(next.messages, shown.at(-1)?.position);
        if (some.length < atOnce) return next;
        lookedAt += some.length;
        if (lookedAt >= lookedAtMax) return pageEnding(next.messages, some.at(-1)?.position);
      }
      throw new Error('a page looks at one message at least');
    },
  };
}

/** Returns the indexes to read. The index by number contains both directions. */
function indexesOf(filter: MessageFilter, direction: Direction) {
  if ('recipient' in filter) {
    return [{ name: 'by-recipient', key: 'recipient', value: filter.recipient }] as const;
  }
  if ('clientIds' in filter) {
    return filter.clientIds.flatMap((clientId) => partitionsOf({ clientId, direction }));
  }
  return partitionsOf({ ...filter, direction });
}

function matches(message: Message, condition: readonly (readonly [string, unknown])[]): boolean {
  const values: Readonly<Record<string, unknown>> = message;
  return condition.every(([name, value]) => values[name] === value);
}

function isIn({ client_id }: Message, filter: MessageFilter): boolean {
  return !('recipient' in filter) || (filter.mode ?? 'live') === modeOf(client_id);
}

function isOf(message: Message, direction: Direction): boolean {
  return direction === 'all' || direction === (message.direction ?? 'outbound');
}

/** Returns a page; `nextCursor` is present if there may be more. */
function pageEnding(
  messages: readonly Message[],
  nextCursor?: string,
): { messages: readonly Message[]; nextCursor?: string } {
  return nextCursor === undefined ? { messages } : { messages, nextCursor };
}

/** Returns true if there is any message to or from this number, in either mode. */
export async function hasMessages(
  { db, env }: Context<'MESSAGES_TABLE'>,
  recipient: string,
): Promise<boolean> {
  const { Items = [] } = await db.send(
    new QueryCommand({
      TableName: env.MESSAGES_TABLE,
      IndexName: 'by-recipient',
      KeyConditionExpression: 'recipient = :recipient',
      ExpressionAttributeValues: { ':recipient': recipient },
      Limit: 1,
    }),
  );
  return Items.length > 0;
}
