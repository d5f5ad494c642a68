/**
 * An administrator's search for messages, one message with its history and its webhooks, and canceling a scheduled one.
 */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import { channels } from '../contract/channels.ts';
import { GatewayError, standardError } from '../contract/errors.ts';
import { clientIdIn, type Mode, modeOf } from '../contract/mode.ts';
import { personInQuery } from '../contract/phone-number.ts';
import { showLegs } from '../message/dispatch/fallback.ts';
import { isUnassigned, unassignedClientId } from '../message/find-owner.ts';
import { messageCursor } from '../message/list-own-messages.ts';
import { type Message, statuses } from '../message/message.ts';
import { statusView } from '../message/message-response.ts';
import type { FoundMessage } from '../message/message-summary.ts';
import { transitionMessage } from '../message/store/message-changes.dynamo.ts';
import { type Direction, directions } from '../message/store/message-list.dynamo.ts';
import { readMessage } from '../message/store/messages.dynamo.ts';
import { windowEnd, windowOpenedAt } from '../message/store/whatsapp-window.dynamo.ts';
import { suppressionView } from '../message/suppression/manage-suppressions.ts';
import { suppressionOf } from '../message/suppression/suppressions.dynamo.ts';
import { addDays } from '../platform/clock.ts';
import { isId } from '../platform/ids.ts';
import { type Amounts, combinationsIn, errorCodesIn } from '../usage/amounts.ts';
import { allClients } from '../usage/count-changes.ts';
import { periodsBetween } from '../usage/period.ts';
import { usageRowsIn } from '../usage/usage-reader.dynamo.ts';
import { readDeliveries } from '../webhook/delivery-store.dynamo.ts';
import { webhookEndpointsOf } from '../webhook/endpoint-store.dynamo.ts';
import { deliverySummary } from '../webhook/log/delivery-log.ts';
import { deliveryIdsOf } from '../webhook/plan-deliveries.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import type { MessageCondition } from './message-search.dynamo.ts';
import { cursor, keyText, pageSize, utcTime } from './request-fields.ts';

export const messageQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
  reference: z.optional(keyText),
  recipient: z.optional(personInQuery),
  status: z.optional(z.enum(statuses)),
  channel: z.optional(z.enum(channels)),
  error_code: z.optional(keyText),
  direction: z.optional(z.enum(directions)),
  since: z.optional(utcTime),
  until: z.optional(utcTime),
});

type MessageQuery = z.output<typeof messageQuery>;

/**
 * Returns the filter that selects the index to read. The other fields are compared with each message.
 *
 * @returns undefined for the messages of all clients
 * @throws GatewayError if a reference has no client: references are indexed by client
 */
function messageFilterOf(query: Partial<MessageQuery>, mode: Mode) {
  const { client_id, reference, recipient } = query;
  if (reference !== undefined && client_id === undefined) {
    throw new GatewayError('invalid_request', 'Name the client of the reference.', {
      details: [{ field: 'client_id', message: 'must be given with a reference' }],
    });
  }
  // A phone number has fewer messages than a client, and a reference has fewer than a phone number.
  if (reference !== undefined && client_id !== undefined) return { clientId: client_id, reference };
  if (recipient !== undefined) return { recipient, mode };
  return client_id === undefined ? undefined : { clientId: client_id };
}

/**
 * Searches the messages of a client, a recipient or all clients. Searches of all clients cover one day by default,
 * because no index contains all messages.
 */
export async function searchMessages(
  ctx: AdminContext,
  { limit, cursor, since, until, ...query }: MessageQuery,
) {
  const { status, channel, error_code } = query;
  const direction = directionOf(query);
  const clientId = query.client_id && (await messagesOwnerOf(ctx, query.client_id));
  const named = messageFilterOf(
    { ...query, client_id: clientId },
    clientId === undefined ? ctx.mode : modeOf(clientId),
  );
  const condition = {
    status,
    channel,
    error_code,
    // Does not compare the fields of the index again, so that the search reads only the messages that it shows.
    client_id: named !== undefined && 'recipient' in named ? clientId : undefined,
    recipient: named !== undefined && 'recipient' in named ? undefined : query.recipient,
  };
  const all = named === undefined ? await activeClients(ctx, { since, until }, condition) : undefined;
  const unassigned = direction === 'outbound' ? [] : [clientIdIn(ctx.mode, unassignedClientId)];
  const filter = named ?? { clientIds: [...(all?.clientIds ?? []), ...unassigned] };
  const times = all ?? { since: normal(since), until: normal(until) };
  const { messages, nextCursor } = await ctx.messages.search(filter, {
    limit,
    cursor: messageCursor.decode(cursor),
    condition,
    direction,
    since: times.since,
    until: times.until,
  });
  return {
    messages: messages.map(foundView),
    ...messageCursor.next(nextCursor),
    /**
     * The number of clients with messages in this time that were not searched; absent if all were searched, or if the query
     * names a client.
     */
    ...(all === undefined || all.leftOut === 0 ? {} : { clients_left_out: all.leftOut }),
  };
}

async function messagesOwnerOf(ctx: AdminContext, idOrName: string): Promise<string> {
  return isUnassigned({ client_id: idOrName }) ? idOrName : clientIdOf(ctx, idOrName);
}

function foundView(message: Message): FoundMessage {
  return { ...statusView(message), client_id: isUnassigned(message) ? null : message.client_id };
}

/** Returns the direction to search. Each status and each error code occurs in one direction only. */
function directionOf({ direction = 'all', status, error_code }: Partial<MessageQuery>): Direction {
  if (direction !== 'all' || (status === undefined && error_code === undefined)) return direction;
  return status === 'received' ? 'inbound' : 'outbound';
}

/** Normalizes a time to the form of positions: `2026-11-20T10:00:00Z` would sort after `2026-11-20T10:00:00.000Z`. */
const normal = (time: string | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

/** Each client is searched in several partitions. */
const clientsSearchedMax = 20;
/**
 * The maximum number of days to read one by one. For a longer time, the search reads the rows of months, so that the number
 * of reads stays small.
 */
const dayRowsMax = 8;
/** Three months in a row touch at most four calendar months. */
const monthRowsMax = 4;

/**
 * Returns the clients with the most messages of this status, channel or error code in this time, from the usage rows.
 */
async function activeClients(
  ctx: AdminContext,
  { since, until }: { readonly since: string | undefined; readonly until: string | undefined },
  condition: MessageCondition,
) {
  const { clock, mode } = ctx;
  const to = until === undefined ? clock() : new Date(until);
  const from = since === undefined ? addDays(to, -1) : new Date(since);
  const periods =
    periodsBetween('day', from, to, dayRowsMax) ?? periodsBetween('month', from, to, monthRowsMax);
  if (periods === undefined) {
    throw new GatewayError('invalid_request', 'Name a client or a recipient, or a shorter time.', {
      details: [{ field: 'since', message: 'must be within three months before until, for all clients' }],
    });
  }
  const rows = (await Promise.all(periods.map(({ name }) => usageRowsIn(ctx, name, mode)))).flat();
  const counts = new Map<string, number>();
  for (const { clientId, amounts } of rows) {
    const count = clientId === clientIdIn(mode, allClients) ? 0 : matchingMessages(amounts, condition);
    if (count > 0) counts.set(clientId, (counts.get(clientId) ?? 0) + count);
  }
  const ids = [...counts].toSorted(([, one], [, other]) => other - one).map(([clientId]) => clientId);
  return {
    clientIds: ids.slice(0, clientsSearchedMax),
    leftOut: Math.max(0, ids.length - clientsSearchedMax),
    since: from.toISOString(),
    until: to.toISOString(),
  };
}

/**
 * Returns an upper bound of the number of matching messages: usage does not combine error codes with other fields, and is
 * about a minute old.
 */
function matchingMessages(amounts: Amounts, { status, channel, error_code }: MessageCondition): number {
  if (error_code !== undefined) return errorCodesIn(amounts).get(error_code) ?? 0;
  return (
    combinationsIn(amounts)
      .filter(({ measure }) => measure === 'messages')
      .filter((one) => channel === undefined || one.channel === channel)
      // Counts all states for a state that passes within seconds, because it may have changed since it was counted.
      .filter((one) => status === undefined || !finalStatuses.has(status) || one.status === status)
      .reduce((sum, { amount }) => sum + amount, 0)
  );
}

const finalStatuses: ReadonlySet<string> = new Set(['delivered', 'read', 'failed', 'expired', 'canceled']);

/** @throws GatewayError `not_found` */
export async function showMessage(ctx: AdminContext, messageId: string) {
  const message = isId('msg', messageId) ? await readMessage(ctx, messageId) : undefined;
  if (message === undefined) throw new GatewayError('not_found', 'There is no such message.');
  const { client_id, recipient: person } = message;
  const [endpoints, client, legs] = await Promise.all([
    webhookEndpointsOf(ctx, client_id),
    isUnassigned(message) ? null : reachability(ctx, client_id, person),
    legsOf(ctx, message),
  ]);
  const deliveries = await readDeliveries(ctx, deliveryIdsOf(message, endpoints));
  return {
    message: {
      ...foundView(message),
      webhook_url: message.webhook_url ?? null,
      /** The carrier's id of the message, for a question to the carrier; null before the hand-over. */
      carrier_message_id: message.carrier_message_id ?? null,
      scheduled_at: message.scheduled_at ?? null,
      batch_id: message.batch_id ?? null,
    },
    /** The phone number of the other party, for both directions. */
    person,
    /** Null for an inbound message that belongs to no client. */
    client,
    /** The text. In a one-time password, `{{code}}` replaces the code. */
    text: message.text ?? null,
    whatsapp: message.received_content ?? message.whatsapp ?? null,
    webhooks: deliveries
      .map(deliverySummary)
      .toSorted((one, other) => one.created_at.localeCompare(other.created_at)),
    /** All legs of a send with `fallback` in their order, including this message; empty for any other message. */
    legs,
  };
}

/** Shows if the client may send to the other party. */
async function reachability(ctx: AdminContext, client_id: string, person: string) {
  const [suppression, openedAt] = await Promise.all([
    suppressionOf(ctx, client_id, person),
    windowOpenedAt(ctx, client_id, person),
  ]);
  return {
    client_id,
    suppression: suppression === undefined ? null : suppressionView(suppression),
    /** Null if WhatsApp currently accepts only templates. */
    window_expires_at: windowEnd(openedAt, ctx.clock())?.toISOString() ?? null,
  };
}

async function legsOf(ctx: AdminContext, message: Message) {
  const shown = await showLegs(ctx, message);
  if (shown === undefined) return [];
  const { message_id, channel, status } = shown.first;
  const first = { channel, after_seconds: null, message_id, status };
  return [first, ...shown.following].map((each, index) => ({ ...each, leg: index + 1 }));
}

/**
 * Cancels a scheduled message of a client before its time.
 *
 * @throws GatewayError `not_found`, or `not_cancelable` once the message is due
 */
export async function cancelScheduledMessage(ctx: AdminContext, actor: string, messageId: string) {
  const { clock } = ctx;
  const message = isId('msg', messageId) ? await readMessage(ctx, messageId) : undefined;
  if (message === undefined) throw new GatewayError('not_found', 'There is no such message.');
  if (message.status === 'canceled') return { message_id: messageId, status: message.status };
  if (message.status !== 'scheduled') throw standardError('not_cancelable');
  await recordActivity(ctx, actor, {
    kind: 'message_canceled',
    summary: `${actor} canceled the scheduled message ${messageId}`,
    clientId: message.client_id,
    messageId,
    before: { status: message.status, scheduled_at: message.scheduled_at },
    after: { status: 'canceled' },
  });
  const canceled =
    (await transitionMessage(ctx, messageId, { to: 'canceled', at: clock() })) ??
    (await readMessage(ctx, messageId));
  if (canceled?.status !== 'canceled') throw standardError('not_cancelable');
  return { message_id: messageId, status: canceled.status };
}
