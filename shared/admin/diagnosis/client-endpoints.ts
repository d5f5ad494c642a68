/**
 * The endpoints of a client that fail now, or have webhooks which failed for good, and since when: the overview, the client's
 * page and `doctor` all have that time from here. It is the earliest that is known, so that a resend since then leaves
 * nothing out.
 */
import * as z from 'zod/mini';
import { originOf } from '../../webhook/endpoint-health.ts';
import { lastErrorOf } from '../../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../../webhook/webhook-response.schema.ts';
import type { AdminDependencies } from '../admin-dependencies.ts';
import { requireClient } from '../find-client.ts';
import { textUpTo, utcTime } from '../request-fields.ts';
import { healthOfLatest, type OriginHealth, type WebhookHealth } from '../webhook-health.ts';
import { failedWebhooksOf } from '../webhooks.ts';

/** More are counted as this many. */
export const failedWebhooksMax = 500;
/** The number of latest messages whose webhooks show whether an endpoint works now: a delivery with all its attempts may be large. */
const messagesOfHealth = 50;

/** An endpoint that fails now, or that has webhooks which failed for good. */
export interface ClientEndpoint {
  /** Scheme, host and port; of a queue or an event bus, its ARN. */
  readonly origin: string;
  /** Whether the webhooks of the latest messages fail; null if there are none to judge by. */
  readonly is_failing: boolean | null;
  /** Webhooks that failed for good and have not been acknowledged since. */
  readonly failed: number;
  /** Webhooks of the latest messages that wait for an attempt. */
  readonly waiting: number;
  /** The time of the first known failure, or the creation of the oldest failed webhook. */
  readonly since: string;
  readonly last_error: string | null;
}

/** More of them, where an endpoint has acknowledged none of those: else the beginning of its outage would move with each message. */
const messagesOfOutage = 200;

async function healthSinceSuccess(
  dependencies: Pick<AdminDependencies, 'messages' | 'endpoints' | 'deliveries'>,
  clientId: string,
): Promise<WebhookHealth> {
  const health = await healthOfLatest(dependencies, clientId, messagesOfHealth);
  const isOld =
    health.messages === messagesOfHealth && health.endpoints.some((one) => one.success_rate === 0);
  return isOld ? healthOfLatest(dependencies, clientId, messagesOfOutage) : health;
}

interface ClientEndpoints {
  readonly endpoints: readonly ClientEndpoint[];
  readonly health: WebhookHealth;
}

export async function clientEndpoints(
  dependencies: Pick<
    AdminDependencies,
    'activity' | 'deliveries' | 'messages' | 'endpoints' | 'clock' | 'retentionDays'
  >,
  clientId: string,
): Promise<ClientEndpoints> {
  const [failed, health] = await Promise.all([
    failedWebhooksOf(dependencies, clientId, failedWebhooksMax),
    healthSinceSuccess(dependencies, clientId),
  ]);
  return { endpoints: endpointsOf(failed, health.endpoints), health };
}

/**
 * The health of all endpoints of the latest messages, and of those that have older webhooks which failed for good.
 *
 * @throws GatewayError `not_found`
 */
export async function webhookHealth(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<WebhookHealth> {
  await requireClient(dependencies, clientId);
  const { endpoints, health } = await clientEndpoints(dependencies, clientId);
  return { ...health, endpoints: withFailed(health.endpoints, endpoints) };
}

/** The endpoints with the number of their failed webhooks and the time that every page has. */
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
  /** Those to one origin; else to all. */
  origin: z.optional(textUpTo(2048)),
  since: z.optional(utcTime),
});

/**
 * How many webhooks a resend since then would send again; `more` where not all were counted.
 *
 * @throws GatewayError `not_found` where there is no such client
 */
export async function countFailedWebhooks(
  dependencies: Pick<AdminDependencies, 'activity' | 'clients' | 'deliveries' | 'clock' | 'retentionDays'>,
  clientId: string,
  { origin, since }: z.output<typeof failedWebhooksQuery>,
): Promise<{ readonly count: number; readonly more: boolean }> {
  await requireClient(dependencies, clientId);
  const failed = await failedWebhooksOf(dependencies, clientId, failedWebhooksMax);
  const isWanted = ({ url, created_at }: DeliverySummary): boolean =>
    (origin === undefined || originOf(url) === origin) &&
    (since === undefined || created_at >= new Date(since).toISOString());
  return { count: failed.filter(isWanted).length, more: failed.length === failedWebhooksMax };
}

/** @param failed - the latest failure first */
export function endpointsOf(
  failed: readonly DeliverySummary[],
  healths: readonly Omit<OriginHealth, 'history'>[],
): ClientEndpoint[] {
  const failures = Map.groupBy(failed, ({ url }) => originOf(url));
  const failing = healths.filter(({ failing_since }) => failing_since !== null);
  const origins = new Set([...failures.keys(), ...failing.map(({ origin }) => origin)]);
  return [...origins]
    .map((origin): ClientEndpoint => {
      const group = failures.get(origin) ?? [];
      const [latest] = group;
      const health = healths.find((one) => one.origin === origin);
      const times = [...group.map(({ created_at }) => created_at), health?.failing_since ?? '~'];
      return {
        origin,
        is_failing:
          health === undefined || health.success_rate === null ? null : health.failing_since !== null,
        failed: group.length,
        waiting: health?.waiting ?? 0,
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
