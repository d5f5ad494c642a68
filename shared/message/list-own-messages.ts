/**
 * Lists the messages of a client in all channels, newest first. The cost of a page does not depend on the client's number
 * of messages.
 */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { personInQuery } from '../contract/phone-number.ts';
import { optional } from '../operation/fields.ts';
import { defaultPageLimit, opaqueCursor, pageLimit, sortableTime } from '../operation/list-query.ts';
import { type ApiResponse, type Operation, parseQuery, requireCaller } from '../operation/operation.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { type Message, statuses } from './message.ts';
import type { MessagePage } from './message-response.schema.ts';
import { statusView } from './message-response.ts';
import { referenceText } from './send/send-fields.ts';
import {
  directions,
  type ListedKey,
  type ListRange,
  listedKeys,
  listPositionForm,
  takeKeys,
} from './store/message-list.dynamo.ts';
import type { FilterFields } from './store/message-row.ts';
import { readFilterFields, readMessages } from './store/messages.dynamo.ts';

/** The query of `GET /api/v1/messages` (contract 5.12). */
export const listMessagesQuery = z.object({
  reference: optional(referenceText),
  to: optional(personInQuery),
  status: optional(z.enum(statuses)),
  channel: optional(z.enum(channels)),
  /** `outbound` by default (contract, section 13). */
  direction: optional(z.enum(directions)),
  /** `since` and `until` are inclusive. */
  since: optional(sortableTime),
  until: optional(sortableTime),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

export const messageCursor = opaqueCursor(listPositionForm);

interface FoundMessage {
  readonly message: Message;
  /**
   * The position in the index from which the next page continues. The time in the row may differ, because an operator can
   * edit it.
   */
  readonly position: string;
}

/** The maximum number of messages that one page reads, even if few match the filter. The next page continues from there. */
const lookedAtMax = 1000;
/** The number of messages in one read with a filter: the maximum of DynamoDB. */
const filteredAtOnce = 100;
/** The minimum number of complete rows in one read, because some rows may no longer match the filter. */
const wholeAtOnceMin = 20;
/** `first` sorts before every position, and `last` after every position. */
const [first, last] = ['0', '~'];

export function listMessages(ctx: Context<'MESSAGES_TABLE'>): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(listMessagesQuery, request);
    const limit = query.limit ?? defaultPageLimit;
    const range = rangeOf(clientId, query);
    // Only outbound messages have a reference, so other searches by reference find nothing.
    const isNone = query.reference !== undefined && query.direction === 'inbound';
    if (isNone || range.from > range.before) return page([], undefined);
    const isFiltered = [query.to, query.status, query.channel].some((filter) => filter !== undefined);
    const atOnce = isFiltered ? filteredAtOnce : limit + 1;
    const keys = listedKeys(ctx, range, atOnce);
    const found: FoundMessage[] = [];
    for (let lookedAt = 0, position = ''; found.length <= limit; ) {
      if (lookedAt >= lookedAtMax) return page(found, position);
      const next = await takeKeys(keys, atOnce);
      const passes = (row: FilterFields): boolean => passesFilter(row, clientId, query);
      const likely = isFiltered ? await likelyAmong(ctx, next, passes) : next;
      for (const chunk of chunksOf(likely, Math.max(limit + 1, wholeAtOnceMin))) {
        if (found.length > limit) break;
        const rows = await readMessages(
          ctx,
          chunk.map((key) => key.messageId),
        );
        const byId = new Map(rows.map((row) => [row.message_id, row]));
        for (const key of chunk) {
          const message = byId.get(key.messageId);
          // The complete row is checked again, because the index may be older.
          if (message !== undefined && passes(message)) found.push({ message, position: key.position });
        }
      }
      position = next.at(-1)?.position ?? position;
      if (next.length < atOnce && found.length <= limit) return page(found, undefined);
      lookedAt += next.length;
    }
    const shown = found.slice(0, limit);
    return page(shown, shown.at(-1)?.position);
  };
}

function rangeOf(clientId: string, query: z.output<typeof listMessagesQuery>): ListRange {
  const until = query.until === undefined ? last : `${query.until}#${last}`;
  const cursor = messageCursor.decode(query.cursor) ?? last;
  return {
    clientId,
    reference: query.reference,
    recipient: query.to,
    direction: query.direction ?? 'outbound',
    from: query.since ?? first,
    before: cursor < until ? cursor : until,
  };
}

/**
 * Returns the messages that probably match the filter. Most messages do not match, so this reads only the filter's fields,
 * eventually consistent, for half the price. A message that this read does not find is kept, and its complete row decides.
 */
async function likelyAmong(
  ctx: Context<'MESSAGES_TABLE'>,
  keys: readonly ListedKey[],
  passes: (row: FilterFields) => boolean,
): Promise<ListedKey[]> {
  const seen = await readFilterFields(
    ctx,
    keys.map((key) => key.messageId),
  );
  const byId = new Map(seen.map((fields) => [fields.message_id, fields]));
  return keys.filter((key) => {
    const fields = byId.get(key.messageId);
    return fields === undefined || passes(fields);
  });
}

function passesFilter(
  row: FilterFields,
  clientId: string,
  { to, status, channel, direction = 'outbound' }: z.output<typeof listMessagesQuery>,
): boolean {
  return (
    row.client_id === clientId &&
    (direction === 'all' || direction === (row.direction ?? 'outbound')) &&
    (to === undefined || row.recipient === to) &&
    (status === undefined || row.status === status) &&
    (channel === undefined || row.channel === channel)
  );
}

function page(found: readonly FoundMessage[], end: string | undefined): ApiResponse {
  const messages = found.map(({ message }) => statusView(message));
  const body: MessagePage = { messages, ...messageCursor.next(end) };
  return { status: 200, body };
}
