/**
 * Shows the health of a client's webhook endpoints, on the page of the client and in `doctor`: if an endpoint fails, since
 * when, and which webhooks wait or have failed. An endpoint is an origin (scheme, host and port), or the ARN of a queue or
 * an event bus.
 */

import * as z from 'zod/mini';
import { isDeliveryFinished, originOf } from '../webhook/delivery.ts';
import { deliveryLog, lastErrorOf } from '../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../webhook/webhook-response.schema.ts';
import type { AdminContext } from './admin-context.ts';
import { requireClient } from './find-client.ts';
import { failedWebhooksOf } from './manage-webhooks.ts';
import { textUpTo, utcTime } from './request-fields.ts';

/** Counts at most this many. */
export const failedWebhooksMax = 500;
/** The latest webhooks show if an endpoint works now. */
const latestMax = 100;

export type EndpointHealth = Awaited<ReturnType<typeof endpointHealth>>[number];

/**
 * Returns the health of the endpoints of the client's latest webhooks, and of all endpoints that have failed webhooks.
 *
 * @throws GatewayError `not_found` if there is no such client
 */
export async function endpointHealth(ctx: AdminContext, clientId: string) {
  await requireClient(ctx, clientId);
  const [failed, latest] = await Promise.all([
    failedWebhooksOf(ctx, clientId, failedWebhooksMax),
    deliveryLog(ctx, clientId, { limit: latestMax }),
  ]);
  return healthOf(failed, latest.webhook_deliveries);
}

/** @param failed - webhooks that failed permanently @param latest - the latest webhooks in any state, newest event first */
export function healthOf(failed: readonly DeliverySummary[], latest: readonly DeliverySummary[]) {
  const known = new Map([...failed, ...latest].map((delivery) => [delivery.delivery_id, delivery]));
  const inLatest = new Set(latest);
  return [...Map.groupBy(known.values(), ({ url }) => originOf(url))]
    .map(([origin, group]) => {
      const newestFirst = group.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
      // A skipped webhook says that the endpoint is disabled, not that it fails.
      const attempted = newestFirst.filter(({ attempts, state }) => attempts > 0 && state !== 'skipped');
      const unacknowledged = attempted.filter(({ state }) => state !== 'acknowledged');
      const lost = group.filter(({ state }) => state === 'failed');
      const newest = attempted.find((delivery) => inLatest.has(delivery));
      return {
        origin,
        /**
         * True if the newest webhook with an attempt was not acknowledged; null if none of the latest webhooks had an
         * attempt.
         */
        is_failing: newest === undefined ? null : newest.state !== 'acknowledged',
        /** Webhooks that failed permanently and have not been acknowledged since. */
        failed: lost.length,
        /** The number of failed webhooks by their last error, the most frequent error first. */
        failures: countedErrors(lost),
        /** The number of the latest webhooks that wait for an attempt. */
        waiting: group.filter((delivery) => !isDeliveryFinished(delivery)).length,
        /**
         * The time of the oldest known event whose webhook was attempted but not acknowledged; null if there is no such
         * event. A resend that starts at this time includes all of these webhooks.
         */
        since: unacknowledged.at(-1)?.created_at ?? null,
        last_error: unacknowledged[0] === undefined ? null : lastErrorOf(unacknowledged[0]),
      };
    })
    .toSorted(
      (one, other) =>
        Number(other.is_failing) - Number(one.is_failing) ||
        other.failed - one.failed ||
        other.waiting - one.waiting,
    );
}

function countedErrors(failed: readonly DeliverySummary[]) {
  return [...Map.groupBy(failed, (delivery) => lastErrorOf(delivery) ?? 'unknown')]
    .map(([error, { length: webhooks }]) => ({ error, webhooks }))
    .toSorted((one, other) => other.webhooks - one.webhooks);
}

export const failedWebhooksQuery = z.object({
  origin: z.optional(textUpTo(2048)),
  since: z.optional(utcTime),
});

/**
 * Counts the webhooks that a resend from that time would send again; `more` is true if not all were counted.
 *
 * @throws GatewayError `not_found` if there is no such client
 */
export async function countFailedWebhooks(
  ctx: AdminContext,
  clientId: string,
  { origin, since }: z.output<typeof failedWebhooksQuery>,
) {
  await requireClient(ctx, clientId);
  const failed = await failedWebhooksOf(ctx, clientId, failedWebhooksMax);
  const isWanted = ({ url, created_at }: DeliverySummary): boolean =>
    (origin === undefined || originOf(url) === origin) &&
    (since === undefined || created_at >= new Date(since).toISOString());
  return { count: failed.filter(isWanted).length, more: failed.length === failedWebhooksMax };
}
