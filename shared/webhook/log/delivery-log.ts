/**
 * The log of a client's webhook deliveries, page by page. A page costs a bounded number of reads, so it can be shorter
 * than asked for, or empty, and still have a cursor. Nothing is written for the log (docs/decisions/webhook-row-with-revision.md).
 */
import * as z from 'zod/mini';
import { standardError } from '../../contract/errors.ts';
import { endpointDisabledEvent, eventNames } from '../../contract/webhook-events.ts';
import { ownMessage } from '../../message/status-and-cancel.ts';
import { optional } from '../../operation/fields.ts';
import { dateOf, invalidCursor, pageLimit, sortableTime } from '../../operation/list-query.ts';
import { addDays, earlierOf, laterOf } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type Delivery, deliveryStates } from '../delivery.ts';
import { asOf, receives, type WebhookEndpoint } from '../webhook-endpoint.ts';
import type { DeliveryList, DeliverySummary, DeliveryView } from '../webhook-response.schema.ts';
import {
  type Candidate,
  deliveriesOfMessages,
  failureCursor,
  failuresOf,
  isLastFailure,
  type Located,
  notificationDeliveries,
  positionCursor,
  type WebhookLogDependencies,
} from './find-deliveries.ts';

export const listDeliveriesQuery = z.object({
  message_id: optional(z.string()),
  endpoint_id: optional(z.string()),
  state: optional(z.enum(deliveryStates)),
  event: optional(z.enum(eventNames)),
  /** When the message was accepted; with `state` failed and no message, when the event happened. */
  since: optional(sortableTime),
  until: optional(sortableTime),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

export type DeliveryLogQuery = Readonly<z.output<typeof listDeliveriesQuery>> & { readonly limit: number };

interface Search extends DeliveryLogQuery {
  readonly clientId: string;
  /** All of the client. */
  readonly endpoints: readonly WebhookEndpoint[];
  readonly now: Date;
  /** `since`, or the earliest time that is kept. */
  readonly from: Date;
}

/** The most pages that one request reads: of about 400 deliveries, or of 100 failures. */
const pagesMax = 3;
const failuresPerPage = 100;
/** A webhook that no worker has taken for longer is not shown: there may have been no URL at its event. */
const pendingMaxMs = 900_000;

/** @throws GatewayError `not_found` for a message or an endpoint that the client does not have. */
export async function deliveryLog(
  dependencies: WebhookLogDependencies,
  clientId: string,
  query: DeliveryLogQuery,
): Promise<DeliveryList> {
  const endpoints = await dependencies.endpoints.list(clientId);
  const { endpoint_id, since } = query;
  if (endpoint_id !== undefined && !endpoints.some((endpoint) => endpoint.endpoint_id === endpoint_id))
    throw standardError('not_found');
  const now = dependencies.clock();
  const earliest = addDays(now, -dependencies.retentionDays);
  const from = since === undefined ? earliest : laterOf(dateOf(since), earliest);
  const search = { ...query, clientId, endpoints, now, from };
  const byFailure = query.state === 'failed' && query.message_id === undefined;
  return byFailure ? failedLog(dependencies, search) : messagesLog(dependencies, search);
}

async function failedLog(dependencies: WebhookLogDependencies, search: Search): Promise<DeliveryList> {
  const { clientId, from: since, now } = search;
  const found: DeliverySummary[] = [];
  const position = search.cursor && failureCursor.decode(search.cursor);
  let [cursor, begun = now.toISOString()] = position?.split('~') ?? [];
  const until = new Date(begun);
  if (Number.isNaN(until.getTime())) throw invalidCursor();
  const after = (entry: string | undefined): string | undefined =>
    entry && failureCursor.encode(`${entry}~${begun}`);
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await failuresOf(dependencies, { clientId, since, until, limit: failuresPerPage, cursor });
    for (const failure of page.failures) {
      const summary = deliverySummary(failure.delivery);
      if (!isLastFailure(failure, begun) || !passes(summary, search)) continue;
      found.push(summary);
      cursor = failure.cursor;
      if (found.length === search.limit) return listed(found, after(cursor));
    }
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return listed(found, after(cursor));
}

function passes(
  { endpoint_id, event, created_at }: DeliverySummary,
  query: Pick<DeliveryLogQuery, 'endpoint_id' | 'event' | 'since' | 'until'>,
): boolean {
  return (
    (query.endpoint_id === undefined || endpoint_id === query.endpoint_id) &&
    (query.event === undefined || event === query.event) &&
    (query.since === undefined || created_at >= query.since) &&
    (query.until === undefined || created_at <= query.until)
  );
}

async function messagesLog(dependencies: WebhookLogDependencies, search: Search): Promise<DeliveryList> {
  const { clientId, message_id, endpoint_id, endpoints } = search;
  const message =
    message_id === undefined ? undefined : await ownMessage(dependencies.messages, clientId, message_id);
  const endpointIds =
    endpoint_id === undefined
      ? [undefined, ...endpoints.map((endpoint) => endpoint.endpoint_id)]
      : [endpoint_id];
  const accountUrl = await dependencies.accountUrlOf(clientId);
  const nothing = { located: [], end: undefined };
  const found: DeliverySummary[] = [];
  let after = search.cursor === undefined ? undefined : positionCursor.decode(search.cursor);
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const [ofMessages, notifications] = await Promise.all([
      search.event === endpointDisabledEvent
        ? nothing
        : deliveriesOfMessages(dependencies, { ...search, message, endpointIds, after }),
      message === undefined ? notificationsOf(dependencies, search, after) : nothing,
    ]);
    const placed = [
      ...ofMessages.located.map((located) => ({
        position: located.candidate.position,
        summary: summaryOf(located, { ...search, accountUrl }),
      })),
      ...notifications.located,
    ];
    // The next page reads again what one of the two lists has read beyond the end of the other.
    const end = [ofMessages.end, notifications.end]
      .filter((position) => position !== undefined)
      .toSorted()
      .at(-1);
    for (const { position, summary } of placed.toSorted((one, other) =>
      one.position < other.position ? 1 : -1,
    )) {
      if (end !== undefined && position < end) break;
      if (summary === undefined || summary.client_id !== clientId) continue;
      if (search.state !== undefined && summary.state !== search.state) continue;
      found.push(summary);
      if (found.length === search.limit) return listed(found, positionCursor.encode(position));
    }
    after = end;
    if (after === undefined) break;
  }
  return listed(found, after && positionCursor.encode(after));
}

interface Placed {
  readonly position: string;
  readonly summary: DeliverySummary | undefined;
}

/** Returns the webhooks without a message that match the query, after the position. */
async function notificationsOf(
  dependencies: WebhookLogDependencies,
  search: Search,
  after: string | undefined,
): Promise<{ readonly located: readonly Placed[]; readonly end: string | undefined }> {
  const { clientId, endpoints, from: since, now } = search;
  const until = search.until === undefined ? now : earlierOf(dateOf(search.until), now);
  const page = await notificationDeliveries(dependencies, { clientId, endpoints, since, until, after });
  const located = page.located
    .map(({ position, delivery }) => ({ position, summary: deliverySummary(delivery) }))
    .filter(({ summary }) => passes(summary, search));
  return { located, end: page.end };
}

interface Present extends Pick<Search, 'endpoints' | 'now'> {
  readonly accountUrl: string | undefined;
}

/**
 * Returns undefined if there is no delivery. A delivery that no worker has taken yet has no row, and is shown as
 * pending.
 */
function summaryOf({ candidate, delivery }: Located, present: Present): DeliverySummary | undefined {
  if (delivery !== undefined) return deliverySummary(delivery);
  const url = urlNow(candidate, present);
  const isRecent = present.now.getTime() - Date.parse(candidate.happenedAt) < pendingMaxMs;
  if (url === undefined || !isRecent) return undefined;
  return {
    delivery_id: candidate.deliveryId,
    client_id: candidate.message.client_id,
    message_id: candidate.message.message_id,
    endpoint_id: candidate.endpointId ?? null,
    event: candidate.event,
    url,
    state: 'pending',
    attempts: 0,
    created_at: candidate.happenedAt,
    finished_at: null,
    next_due_at: candidate.happenedAt,
    last_status: null,
    last_error: null,
  };
}

/** Returns the destination of the event; undefined if an endpoint did not take it then, or no longer does. */
function urlNow(
  { message, endpointId, event, happenedAt }: Candidate,
  { endpoints, accountUrl }: Present,
): string | undefined {
  if (endpointId === undefined) return message.webhook_url ?? accountUrl;
  const endpoint = endpoints.find(({ endpoint_id }) => endpoint_id === endpointId);
  const received =
    endpoint !== undefined && [endpoint, asOf(endpoint, happenedAt)].every((one) => receives(one, event));
  return received ? endpoint.url : undefined;
}

function listed(found: readonly DeliverySummary[], cursor: string | undefined): DeliveryList {
  return { webhook_deliveries: found, ...withoutUndefined({ next_cursor: cursor }) };
}

/** Returns a delivery as clients and administrators see it. */
export function deliverySummary(delivery: Delivery): DeliverySummary {
  const last = delivery.attempts.at(-1);
  const finished = delivery.state === 'acknowledged' || delivery.state === 'failed';
  return {
    delivery_id: delivery.delivery_id,
    client_id: delivery.client_id,
    message_id: delivery.message_id ?? null,
    endpoint_id: delivery.endpoint_id ?? null,
    event: delivery.event,
    url: delivery.url,
    state: delivery.state,
    attempts: last?.number ?? 0,
    created_at: delivery.created_at,
    finished_at: delivery.finished_at ?? null,
    next_due_at: finished ? null : delivery.attempt_due_at,
    last_status: last?.status ?? null,
    last_error: last?.error_message ?? last?.error ?? null,
  };
}

/** Describes the failure of the last attempt in a few words: the status, or the reason why there was no response. */
export function lastErrorOf({ last_status, last_error }: DeliverySummary): string | null {
  return last_status === null ? last_error : `HTTP ${last_status}`;
}

export function deliveryView(delivery: Delivery): DeliveryView {
  return { ...deliverySummary(delivery), body: delivery.body, attempt_log: delivery.attempts };
}
