/**
 * Computes the health of a client's endpoints: those that fail now or have permanently failed webhooks, and since
 * when. The overview, the client's page and `doctor` all use this time. It is the earliest known one, so that a
 * resend from that time includes every failure.
 */

import * as z from 'zod/mini';
import type { Attempt } from '../webhook/attempt-record.ts';
import type { Delivery } from '../webhook/delivery.ts';
import { originOf } from '../webhook/delivery.ts';
import { readDeliveries } from '../webhook/delivery-store.dynamo.ts';
import { webhookEndpointsOf } from '../webhook/endpoint-store.dynamo.ts';
import { lastErrorOf } from '../webhook/log/delivery-log.ts';
import { deliveryIdsOf } from '../webhook/plan-deliveries.ts';
import type { DeliverySummary } from '../webhook/webhook-response.schema.ts';
import type { AdminContext } from './admin-context.ts';
import { requireClient } from './find-client.ts';
import { failedWebhooksOf } from './manage-webhooks.ts';
import { textUpTo, utcTime } from './request-fields.ts';

interface OriginHealth {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly acknowledged: number;
  /** Webhooks whose next attempt is due or scheduled. */
  readonly waiting: number;
  readonly failed: number;
  /** Since when it fails; null if the last attempt succeeded. Here: the first attempt that failed after the last success. */
  readonly failing_since: string | null;
  readonly last_error: string | null;
  /** The share of attempts that were acknowledged, from 0 to 1; null without an attempt. */
  readonly success_rate: number | null;
  /** The average of its attempts. */
  readonly latency_ms: number | null;
  readonly history: AttemptHistory;
}

/** Attempts by the UTC hour or day in which they began. */
interface AttemptHistory {
  readonly step: 'hour' | 'day';
  /** The oldest first, without gaps. */
  readonly points: readonly ReturnType<typeof pointOf>[];
}

/** Returns the health of the endpoints, from the webhooks of the given number of latest messages. */
export async function healthOfLatest(ctx: AdminContext, clientId: string, limit: number) {
  const [{ messages }, endpoints] = await Promise.all([
    ctx.messages.search({ clientId }, { limit }),
    webhookEndpointsOf(ctx, clientId),
  ]);
  const ids = messages.flatMap((message) => deliveryIdsOf(message, endpoints));
  const deliveries = ids.length === 0 ? [] : await readDeliveries(ctx, ids);
  return { messages: messages.length, /** Failing ones first. */ endpoints: healthOf(deliveries) };
}

export function healthOf(deliveries: readonly Delivery[]): readonly OriginHealth[] {
  return [...Map.groupBy(deliveries, ({ url }) => originOf(url))]
    .map(([origin, group]): OriginHealth => {
      const count = (state: Delivery['state']): number => group.filter((one) => one.state === state).length;
      const [acknowledged, failed] = [count('acknowledged'), count('failed')];
      const attempts = group
        .flatMap((one) => one.attempts)
        .toSorted((one, other) => one.started_at.localeCompare(other.started_at));
      const lastSuccess = attempts.findLastIndex(succeeded);
      return {
        origin,
        acknowledged,
        waiting: group.length - acknowledged - failed,
        failed,
        failing_since: attempts[lastSuccess + 1]?.started_at ?? null,
        last_error: errorOf(attempts.findLast((attempt) => !succeeded(attempt))),
        success_rate: attempts.length === 0 ? null : attempts.filter(succeeded).length / attempts.length,
        latency_ms: averageMs(attempts),
        history: historyOf(attempts),
      };
    })
    .toSorted((one, other) => Number(other.failing_since !== null) - Number(one.failing_since !== null));
}

const hourMs = 3_600_000;
const hoursMax = 48;
const daysMax = 31;

/** Groups attempts in their order: by hour if they are of at most two days, otherwise by day, only the latest ones. */
function historyOf(attempts: readonly Attempt[]): AttemptHistory {
  const [first, last] = [attempts[0], attempts.at(-1)];
  if (first === undefined || last === undefined) return { step: 'hour', points: [] };
  const span = Date.parse(last.started_at) - Date.parse(first.started_at);
  const [step, stepMs, pointsMax] =
    span < hoursMax * hourMs
      ? (['hour', hourMs, hoursMax + 1] as const)
      : (['day', 24 * hourMs, daysMax] as const);
  const startOf = ({ started_at }: Attempt): number => Math.floor(Date.parse(started_at) / stepMs);
  const groups = Map.groupBy(attempts, startOf);
  const end = startOf(last);
  const start = Math.max(startOf(first), end - pointsMax + 1);
  const points = Array.from({ length: end - start + 1 }, (_, index) =>
    pointOf(new Date((start + index) * stepMs), groups.get(start + index) ?? []),
  );
  return { step, points };
}

function pointOf(at: Date, attempts: readonly Attempt[]) {
  const acknowledged = attempts.filter(succeeded).length;
  return {
    at: at.toISOString(),
    acknowledged,
    failed: attempts.length - acknowledged,
    /** The average duration; null without an attempt. */
    latency_ms: averageMs(attempts),
  };
}

function averageMs(attempts: readonly Attempt[]): number | null {
  const totalMs = attempts.reduce((sum, { total_ms }) => sum + total_ms, 0);
  return attempts.length === 0 ? null : Math.round(totalMs / attempts.length);
}

const succeeded = ({ error }: Attempt): boolean => error === undefined;

function errorOf(attempt: Attempt | undefined): string | null {
  if (attempt === undefined) return null;
  if (attempt.status !== undefined) return `HTTP ${attempt.status}`;
  return attempt.error_message ?? attempt.error ?? null;
}

/** More are counted as this many. */
export const failedWebhooksMax = 500;
/**
 * The number of latest messages whose webhooks show if an endpoint works now. It is small because a delivery with all
 * its attempts can be large.
 */
const messagesOfHealth = 50;

export type ClientEndpoint = ReturnType<typeof endpointsOf>[number];

/**
 * Reads this many messages if an endpoint has acknowledged nothing of the latest `messagesOfHealth`: otherwise the start
 * of its outage would move with each message.
 */
const messagesOfOutage = 200;

async function healthSinceSuccess(ctx: AdminContext, clientId: string) {
  const health = await healthOfLatest(ctx, clientId, messagesOfHealth);
  const isOld =
    health.messages === messagesOfHealth && health.endpoints.some((one) => one.success_rate === 0);
  return isOld ? healthOfLatest(ctx, clientId, messagesOfOutage) : health;
}

export async function clientEndpoints(ctx: AdminContext, clientId: string) {
  const [failed, health] = await Promise.all([
    failedWebhooksOf(ctx, clientId, failedWebhooksMax),
    healthSinceSuccess(ctx, clientId),
  ]);
  return { endpoints: endpointsOf(failed, health.endpoints), health };
}

/**
 * Returns the health of all endpoints that the latest messages used, or that have older webhooks which failed
 * permanently.
 *
 * @throws GatewayError `not_found`
 */
export async function webhookHealth(ctx: AdminContext, clientId: string) {
  await requireClient(ctx, clientId);
  const { endpoints, health } = await clientEndpoints(ctx, clientId);
  return { ...health, endpoints: withFailed(health.endpoints, endpoints) };
}

/**
 * Returns the endpoints with the number of their failed webhooks, and with the start of the failures that every page
 * shows.
 */
export function withFailed(
  healths: readonly OriginHealth[],
  endpoints: readonly ClientEndpoint[],
): readonly OriginHealth[] {
  const byOrigin = new Map(endpoints.map((endpoint) => [endpoint.origin, endpoint]));
  const latest = healths.map((health): OriginHealth => {
    const { failed = 0, since = null } = byOrigin.get(health.origin) ?? {};
    return {
      ...health,
      failed: Math.max(failed, health.failed),
      failing_since: health.failing_since === null ? null : since,
    };
  });
  const shown = new Set(healths.map(({ origin }) => origin));
  const older = endpoints
    .filter(({ origin }) => !shown.has(origin))
    .map(({ origin, failed, since, last_error }): OriginHealth => {
      const notCalled = { acknowledged: 0, waiting: 0, success_rate: null, latency_ms: null };
      const history = { step: 'hour', points: [] } as const;
      return { ...notCalled, origin, failed, failing_since: since, last_error, history };
    });
  return [...older, ...latest];
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

function countedErrors(failed: readonly DeliverySummary[]) {
  const groups = Map.groupBy(failed, (delivery) => lastErrorOf(delivery) ?? 'unknown');
  return [...groups]
    .map(([error, { length: webhooks }]) => ({ error, webhooks }))
    .toSorted((one, other) => other.webhooks - one.webhooks);
}

/** @param failed - the latest failure first */
export function endpointsOf(failed: readonly DeliverySummary[], healths: readonly OriginHealth[]) {
  const failures = Map.groupBy(failed, ({ url }) => originOf(url));
  const failing = healths.filter(({ failing_since }) => failing_since !== null);
  const origins = new Set([...failures.keys(), ...failing.map(({ origin }) => origin)]);
  return [...origins]
    .map((origin) => {
      const group = failures.get(origin) ?? [];
      const [latest] = group;
      const health = healths.find((one) => one.origin === origin);
      const times = [...group.map(({ created_at }) => created_at), health?.failing_since ?? '~'];
      return {
        /** Scheme, host and port; of a queue or an event bus, its ARN. */
        origin,
        /** True if the webhooks of the latest messages fail; null if there are none. */
        is_failing:
          health === undefined || health.success_rate === null ? null : health.failing_since !== null,
        /** Webhooks that failed permanently and have not been acknowledged since. */
        failed: group.length,
        /** The number of these by their last error, the most frequent first. */
        failures: countedErrors(group),
        /** Webhooks of the latest messages that wait for an attempt. */
        waiting: health?.waiting ?? 0,
        /** The time of the first known failure, or the creation of the oldest failed webhook. */
        since: times.toSorted()[0] ?? '',
        last_error: (latest && lastErrorOf(latest)) ?? health?.last_error ?? null,
      };
    })
    .toSorted(
      (one, other) =>
        Number(other.is_failing) - Number(one.is_failing) ||
        other.failed - one.failed ||
        other.waiting - one.waiting,
    );
}
