/**
 * The log of a client's webhook deliveries, and the client's operations on it (contract, section 12). The log lists the
 * newest delivery first, in pages. Each page needs a limited number of reads, so it can be shorter than requested, or even
 * empty, and still have a cursor.
 */
import * as z from 'zod/mini';
import { standardError } from '../../contract/errors.ts';
import { eventNames } from '../../contract/webhook-events.ts';
import { ownMessage } from '../../message/status-and-cancel.ts';
import { optional } from '../../operation/fields.ts';
import { defaultPageLimit, opaqueCursor, pageLimit, sortableTime } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import type { Context } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { type Delivery, deliveryStates, isDeliveryFinished, listPositionOf } from '../delivery.ts';
import {
  listDeliveryKeys,
  readDeliveries,
  readDelivery,
  type WebhookContext,
} from '../delivery-store.dynamo.ts';
import { readEndpoint, webhookEndpointsOf } from '../endpoint-store.dynamo.ts';
import { deliveryIdsOf } from '../plan-deliveries.ts';
import type { DeliveryList, DeliverySummary, deliveryViewSchema } from '../webhook-response.schema.ts';
import {
  requestResend,
  resendDelivery,
  resendRequestSchema,
  resendView,
  showResend,
} from './request-resend.ts';

export const listDeliveriesQuery = z.object({
  message_id: optional(z.string()),
  endpoint_id: optional(z.string()),
  state: optional(z.enum(deliveryStates)),
  event: optional(z.enum(eventNames)),
  /** Of `created_at`. */
  since: optional(sortableTime),
  until: optional(sortableTime),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

export type DeliveryLogQuery = Readonly<z.output<typeof listDeliveriesQuery>> & { readonly limit: number };

const cursors = opaqueCursor(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#whd_[0-9A-HJKMNP-TV-Z]{26}$/);

/** The maximum number of rows per read, and of reads per page. */
const [rowsPerRead, readsMax] = [100, 10];
/** `first` sorts before every position, and `last` after every position. */
const [first, last] = ['0', '~'];

/** @throws GatewayError `not_found` if the client has no message or endpoint with the id. */
export async function deliveryLog(
  context: WebhookContext & Context<'MESSAGES_TABLE'>,
  clientId: string,
  query: DeliveryLogQuery,
): Promise<DeliveryList> {
  const { message_id, endpoint_id, state, since = first, until = last, limit } = query;
  const endpoints = await webhookEndpointsOf(context, clientId);
  if (endpoint_id !== undefined && !endpoints.some((endpoint) => endpoint.endpoint_id === endpoint_id))
    throw standardError('not_found');
  let before = query.cursor === undefined ? `${until}${last}` : cursors.decode(query.cursor);
  if (message_id !== undefined) {
    const message = await ownMessage(context, clientId, message_id);
    const rows = (await readDeliveries(context, deliveryIdsOf(message, endpoints)))
      .filter((row) => isWanted(row, query) && listPositionOf(row) < before)
      .toSorted((one, other) => (listPositionOf(one) < listPositionOf(other) ? 1 : -1));
    const shown = rows.slice(0, limit);
    const end = shown.at(-1);
    return listed(shown, rows.length > limit && end ? listPositionOf(end) : undefined);
  }
  const found: Delivery[] = [];
  for (let reads = 0; reads < readsMax; reads += 1) {
    const keys = await listDeliveryKeys(context, {
      ...{ clientId, failed: state === 'failed', after: since, before },
      ...{ order: 'newest first', limit: rowsPerRead },
    });
    const rows = await readDeliveries(
      context,
      keys.map(({ delivery_id }) => delivery_id),
      { consistent: false },
    );
    const byId = new Map(rows.map((row) => [row.delivery_id, row]));
    for (const { delivery_id, list_at } of keys) {
      const row = byId.get(delivery_id);
      before = list_at;
      if (row === undefined || !isWanted(row, query)) continue;
      found.push(row);
      if (found.length === limit) return listed(found, before);
    }
    if (keys.length < rowsPerRead) return listed(found, undefined);
  }
  return listed(found, before);
}

function isWanted(
  row: Delivery,
  { endpoint_id, state, event, since = first, until = last }: DeliveryLogQuery,
) {
  return (
    (endpoint_id === undefined || row.endpoint_id === endpoint_id) &&
    (state === undefined || row.state === state) &&
    (event === undefined || row.event === event) &&
    row.created_at >= since &&
    row.created_at <= until
  );
}

/** @param end - the position of the last row read; undefined at the end of the list */
function listed(found: readonly Delivery[], end: string | undefined): DeliveryList {
  const next_cursor = end === undefined ? undefined : cursors.encode(end);
  return { webhook_deliveries: found.map(deliverySummary), next_cursor };
}

/** Returns a delivery as clients and administrators see it. */
export function deliverySummary(delivery: Delivery): DeliverySummary {
  const last = delivery.attempts.at(-1);
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
    next_due_at: isDeliveryFinished(delivery) ? null : delivery.attempt_due_at,
    last_status: last?.status ?? null,
    last_error: last?.error_message ?? last?.error ?? null,
  };
}

/** Describes the failure of the last attempt in a few words: the status, or the reason why there was no response. */
export function lastErrorOf({ last_status, last_error }: DeliverySummary): string | null {
  return last_status === null ? last_error : `HTTP ${last_status}`;
}

export function deliveryView(delivery: Delivery): Readonly<z.output<typeof deliveryViewSchema>> {
  return { ...deliverySummary(delivery), body: delivery.body, attempt_log: delivery.attempts };
}

export function listWebhookDeliveries(context: Parameters<typeof deliveryLog>[0]): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(listDeliveriesQuery, request);
    const limit = query.limit ?? defaultPageLimit;
    return { status: 200, body: await deliveryLog(context, clientId, { ...query, limit }) };
  };
}

export function getWebhookDelivery(context: WebhookContext): Operation {
  return async (request) => ({ status: 200, body: deliveryView(await ownDelivery(context, request)) });
}

/** Makes one attempt now, even if the delivery is acknowledged. If an attempt is already due or running, adds no other. */
export function resendWebhookDelivery(context: WebhookContext): Operation {
  return async (request) => {
    const seen = await ownDelivery(context, request);
    const { client_id, delivery_id, endpoint_id } = seen;
    const endpoint =
      endpoint_id === undefined ? undefined : await readEndpoint(context, client_id, endpoint_id);
    if (endpoint_id !== undefined && !endpoint?.enabled) throw standardError('endpoint_disabled');
    const { kind } = await resendDelivery(context, delivery_id, client_id, { evenAcknowledged: true });
    const resent = await ownDelivery(context, request);
    return { status: 202, body: deliverySummary(resent), log: { delivery_id, outcome: kind } };
  };
}

export function resendWebhookDeliveries(context: WebhookContext): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const wanted = parseBody(resendRequestSchema, request);
    const { resend_id, matched } = await requestResend(context, clientId, clientId, wanted);
    return { status: 202, body: { resend_id, matched }, log: { resend_id, matched } };
  };
}

export function getWebhookResend(context: WebhookContext): Operation {
  return async (request) => {
    const { resend_id = '' } = request.pathParameters;
    const found = await showResend(context, requireCaller(request).clientId, resend_id);
    return { status: 200, body: resendView(found) };
  };
}

/** @throws GatewayError `not_found` if the delivery belongs to another client. */
async function ownDelivery(context: WebhookContext, request: ApiRequest): Promise<Delivery> {
  const { delivery_id = '' } = request.pathParameters;
  // The table also has rows that are not deliveries.
  const delivery = isId('whd', delivery_id) ? await readDelivery(context, delivery_id) : undefined;
  if (delivery?.client_id !== requireCaller(request).clientId) throw standardError('not_found');
  return delivery;
}
