/**
 * The operations of administrators on webhooks: show the log (of a client, of one webhook with its attempts, or of failed
 * webhooks), show a client's endpoints and send test events to them, and resend webhooks (some by their ids, at a limited
 * rate, or many by a request that the gateway processes).
 */

import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import type { MessageEventName } from '../contract/webhook-events.ts';
import type { Sleep } from '../platform/clock.ts';
import { isId } from '../platform/ids.ts';
import { retry } from '../platform/retry.ts';
import { readDelivery } from '../webhook/delivery-store.dynamo.ts';
import { webhookEndpointsOf } from '../webhook/endpoint-store.dynamo.ts';
import { type DeliveryLogQuery, deliveryLog, deliveryView } from '../webhook/log/delivery-log.ts';
import {
  type ResendOutcome,
  type ResendRequest,
  requestResend,
  resendDelivery,
  resendView,
  showResend,
} from '../webhook/log/request-resend.ts';
import { endpointView, sendTestEvent } from '../webhook/manage-endpoints.ts';
import type { DeliverySummary, WebhookEndpointView } from '../webhook/webhook-response.schema.ts';
import { listActivity, retentionRange } from './activity.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';
import { keyText } from './request-fields.ts';

/** @param client - its id or name */
export async function listDeliveries(ctx: AdminContext, client: string, query: DeliveryLogQuery) {
  return deliveryLog(ctx, await clientIdOf(ctx, client), query);
}

/** @throws GatewayError `not_found` */
export async function showDelivery(ctx: AdminContext, deliveryId: string) {
  const delivery = isId('whd', deliveryId) ? await readDelivery(ctx, deliveryId) : undefined;
  if (delivery === undefined) throw new GatewayError('not_found', 'There is no such webhook.');
  return deliveryView(delivery);
}

const entriesPerPage = 100;

/** Returns the webhooks that failed permanently and have not been acknowledged since, latest failure first. */
export async function failedWebhooksOf(ctx: AdminContext, clientId: string, limit: number) {
  const failed = new Map<string, DeliverySummary>();
  let cursor: string | undefined;
  do {
    const page = await listActivity(ctx, {
      kind: 'webhook_failed',
      clientId,
      ...retentionRange(ctx),
      limit: entriesPerPage,
      cursor,
    });
    for (const { delivery } of page.entries) {
      if (delivery?.state === 'failed' && failed.size < limit) failed.set(delivery.delivery_id, delivery);
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined && failed.size < limit);
  return [...failed.values()];
}

export interface EndpointSummary extends WebhookEndpointView {
  /** The time of the first failed attempt since the last success; null if the last attempt succeeded. */
  readonly failing_since: string | null;
}

/**
 * Lists the webhook endpoints that the client manages, oldest first. @param client - its id or name @throws
 * GatewayError if there is no such client.
 */
export async function listEndpoints(ctx: AdminContext, client: string): Promise<readonly EndpointSummary[]> {
  const endpoints = await webhookEndpointsOf(ctx, await clientIdOf(ctx, client));
  return endpoints.map((endpoint) => ({
    ...endpointView(endpoint),
    failing_since: endpoint.failing_since ?? null,
  }));
}

/** Sends a test event to one of the client's endpoints. @throws GatewayError `not_found` or `endpoint_disabled` */
export async function testEndpoint(
  ctx: AdminContext,
  actor: string,
  client: string,
  test: {
    readonly endpointId: string;
    readonly event: MessageEventName | undefined;
  },
) {
  const clientId = await clientIdOf(ctx, client);
  return sendTestEvent(ctx, { ...test, actor, clientId });
}

export const resendBody = z.object({
  delivery_ids: z.array(keyText).check(z.minLength(1), z.maxLength(100)),
  even_acknowledged: z.optional(z.boolean()),
});

interface ResendResult {
  readonly delivery_id: string;
  /** `failed`: the storage or the queue of the gateway did not respond; you can repeat the resend. */
  readonly outcome: ResendOutcome['kind'] | 'failed';
  readonly error?: string;
}

/**
 * The number of concurrent resends. With more resends, calls would wait for a connection of the AWS client until they time
 * out.
 */
const resendsAtOnce = 10;
/** Limits the load on endpoints that have just recovered, and on the queue that all webhooks share. */
const resendsPerSecond = 20;
/** A resend can safely be repeated, so a failed one is retried. */
const resendRetryDelaysMs = [200, 1000];

/** Resends each webhook and returns a result for each; a failed resend does not affect the others. */
export async function resendWebhooks(
  ctx: AdminContext,
  actor: string,
  deliveryIds: readonly string[],
  {
    evenAcknowledged,
    sleep = pause,
  }: {
    /** True to resend an acknowledged delivery that an operator chose; never true for a set of failed ones. */
    readonly evenAcknowledged?: boolean | undefined;
    readonly sleep?: Sleep;
  } = {},
) {
  const ids = [...new Set(deliveryIds)];
  const results = new Map<string, ResendResult>();
  const pace = { atOnce: resendsAtOnce, perSecond: resendsPerSecond, sleep };
  await runPaced(ids, pace, async (delivery_id) => {
    const result = await retry({ delaysMs: resendRetryDelaysMs, sleep }, async () =>
      // The id is checked first, because the table also contains rows that are not deliveries.
      isId('whd', delivery_id)
        ? resendDelivery(ctx, delivery_id, actor, { evenAcknowledged })
        : ({ kind: 'not_found' } as const),
    ).then(
      ({ kind }): ResendResult => ({ delivery_id, outcome: kind }),
      (error: unknown): ResendResult => ({ delivery_id, outcome: 'failed', error: reasonOf(error) }),
    );
    results.set(delivery_id, result);
  });
  return ids.map((id) => results.get(id)).filter((result) => result !== undefined);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** @throws GatewayError `not_found` or `endpoint_disabled` */
export async function resendMany(ctx: AdminContext, actor: string, client: string, request: ResendRequest) {
  const clientId = await clientIdOf(ctx, client);
  return resendView(await requestResend(ctx, clientId, actor, request));
}

/** @throws GatewayError `not_found` */
export async function showResendMany(ctx: AdminContext, client: string, resendId: string) {
  const clientId = await clientIdOf(ctx, client);
  return resendView(await showResend(ctx, clientId, resendId));
}

/** Calls `work` for each item, in order. @throws the first error of `work`, after all calls have ended. */
async function runPaced<Item>(
  items: readonly Item[],
  {
    atOnce,
    perSecond,
    sleep,
  }: {
    readonly atOnce: number;
    readonly perSecond: number;
    readonly sleep: Sleep;
  },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  // A chain of delays: each item waits for the previous item.
  let turn: Promise<unknown> | undefined;
  const nextTurn = (): Promise<unknown> => {
    turn = turn?.then(() => sleep(1000 / perSecond)) ?? Promise.resolve();
    return turn;
  };
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await nextTurn();
      await work(item);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
