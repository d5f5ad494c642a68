/**
 * Lists the endpoints of all clients that fail now or have permanently failed webhooks, with a bounded number of
 * reads.
 *
 * Permanently failed webhooks have entries in the Activity Log. An endpoint fails for hours before its first entry;
 * until then its webhooks wait for retries and are in the due index. This module reads some of these, and checks
 * in the health of their endpoints if they have acknowledged anything since.
 */

import { modeOf } from '../contract/mode.ts';
import { lostAfterSeconds } from '../due/due-index.ts';
import { rowsDueLater } from '../due/due-rows.dynamo.ts';
import { addDays, addSeconds } from '../platform/clock.ts';
import { type Delivery, originOf, retryDelaysSeconds } from '../webhook/delivery.ts';
import { readDeliveries } from '../webhook/delivery-store.dynamo.ts';
import { deliverySummary, lastErrorOf } from '../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../webhook/webhook-response.schema.ts';
import { listActivity } from './activity.ts';
import type { AdminContext } from './admin-context.ts';
import { clientEndpoints, healthOfLatest } from './webhook-health.ts';

interface FailingEndpoint {
  readonly client_id: string;
  /** Scheme, host and port; of a queue or an event bus, its ARN. */
  readonly origin: string;
  /** Webhooks that failed permanently in the last 24 hours and have not been acknowledged since. */
  readonly failed: number;
  /** Webhooks that failed and wait for a retry; there may be more than were read. */
  readonly waiting: number;
  /**
   * The same time as on the client's page for the endpoints of the first clients; else the earliest failure read
   * here.
   */
  readonly since: string;
  readonly last_error: string | null;
}

export async function failingEndpoints(ctx: AdminContext) {
  const now = ctx.clock();
  const [failed, waiting] = await Promise.all([failedWebhooks(ctx, now), waitingWebhooks(ctx, now)]);
  const endpoints = new Map<string, FailingEndpoint>();
  for (const endpoint of [...endpointsOfFailed(failed.deliveries), ...waiting]) {
    const key = keyOf(endpoint.client_id, endpoint.origin);
    const known = endpoints.get(key);
    endpoints.set(key, known === undefined ? endpoint : together(known, endpoint));
  }
  const listed = [...endpoints.values()].toSorted(
    (one, other) => other.failed - one.failed || other.waiting - one.waiting,
  );
  return { endpoints: await withKnownStart(ctx, listed), moreFailed: failed.more };
}

/** Replaces the start by the time that the client's page and `doctor` show. */
async function withKnownStart(
  ctx: AdminContext,
  listed: readonly FailingEndpoint[],
): Promise<readonly FailingEndpoint[]> {
  const clients = [...new Set(listed.map(({ client_id }) => client_id))].slice(0, clientsMax);
  const known = await Promise.all(
    clients.map(async (clientId) => {
      const { endpoints } = await clientEndpoints(ctx, clientId);
      return endpoints.map(({ origin, since }) => [keyOf(clientId, origin), since] as const);
    }),
  );
  const sinceByKey = new Map(known.flat());
  return listed.map((endpoint) => ({
    ...endpoint,
    since: sinceByKey.get(keyOf(endpoint.client_id, endpoint.origin)) ?? endpoint.since,
  }));
}

const keyOf = (clientId: string, origin: string): string => `${clientId} ${origin}`;

function together(failed: FailingEndpoint, waiting: FailingEndpoint): FailingEndpoint {
  return {
    ...failed,
    waiting: waiting.waiting,
    since: failed.since < waiting.since ? failed.since : waiting.since,
    last_error: waiting.last_error ?? failed.last_error,
  };
}

const entriesPerPage = 100;
/** Limits the failed webhooks of one client, so that they do not hide the webhooks of other clients. */
const failedPagesMax = 5;

/** Returns the failed webhooks of the last 24 hours, newest first. */
async function failedWebhooks(ctx: AdminContext, now: Date) {
  const deliveries: DeliverySummary[] = [];
  const asked = {
    kind: 'webhook_failed',
    since: addDays(now, -1),
    until: now,
    limit: entriesPerPage,
  } as const;
  let cursor: string | undefined;
  for (let pages = 0; pages < failedPagesMax; pages += 1) {
    const page = await listActivity(ctx, { ...asked, ...(cursor === undefined ? {} : { cursor }) });
    for (const { delivery } of page.entries) if (delivery?.state === 'failed') deliveries.push(delivery);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  return { deliveries, more: cursor !== undefined };
}

/** @param deliveries - a webhook that was resent and failed again is in it twice */
function endpointsOfFailed(deliveries: readonly DeliverySummary[]): FailingEndpoint[] {
  return byEndpoint(deliveries).map(([latest, ...older]) => ({
    client_id: latest.client_id,
    origin: originOf(latest.url),
    failed: 1 + older.length,
    waiting: 0,
    since: earliest([latest, ...older].map(({ created_at }) => created_at)),
    last_error: lastErrorOf(latest),
  }));
}

type Several<Item> = readonly [Item, ...Item[]];

function byEndpoint<Item extends Pick<Delivery, 'delivery_id' | 'client_id' | 'url'>>(
  deliveries: readonly Item[],
): Several<Item>[] {
  const unique = [...new Map(deliveries.map((delivery) => [delivery.delivery_id, delivery])).values()];
  const groups = Map.groupBy(unique, ({ client_id, url }) => keyOf(client_id, originOf(url)));
  return [...groups.values()].flatMap(([first, ...others]): Several<Item>[] =>
    first === undefined ? [] : [[first, ...others]],
  );
}

const earliest = (times: readonly string[]): string => times.toSorted()[0] ?? '';

/** The index has 32 shards, so one look reads about 600 webhooks. */
const rowsPerShard = 6;
/** A webhook that is due later than this waits for a retry; one that is due earlier may not have been tried yet. */
const firstDueSeconds = lostAfterSeconds + 5;
/** Each client with a failing endpoint costs a query and the reads of these messages' webhooks. */
const clientsMax = 10;
const messagesPerClient = 20;

/**
 * Returns the ids of some webhooks that wait for a retry: as many for the retries within minutes as for that after an hour and
 * that after six, so that one endpoint with many webhooks does not hide the others.
 */
async function someRetried(ctx: AdminContext, now: Date): Promise<readonly string[]> {
  const from = addSeconds(now, firstDueSeconds);
  const ends = retryDelaysSeconds.slice(2).map((seconds) => addSeconds(from, seconds));
  const rows = await Promise.all(
    ends.map((until, index) =>
      rowsDueLater(ctx, ctx.env.WEBHOOK_DELIVERIES_TABLE, {
        from: ends[index - 1] ?? from,
        until,
        rowsPerShard,
      }),
    ),
  );
  return [...new Set(rows.flat().map(({ delivery_id }) => String(delivery_id)))];
}

/** Endpoints at which webhooks have failed, and that have acknowledged none since. */
async function waitingWebhooks(ctx: AdminContext, now: Date): Promise<readonly FailingEndpoint[]> {
  const ids = await someRetried(ctx, now);
  const rows = ids.length === 0 ? [] : await readDeliveries(ctx, ids, { consistent: false });
  const ofMode = rows.filter(({ client_id }) => modeOf(client_id) === ctx.mode);
  const groups = byEndpoint(ofMode.filter(isRetried)).toSorted((one, other) => other.length - one.length);
  const clients = [...new Set(groups.map(([{ client_id }]) => client_id))].slice(0, clientsMax);
  const healths = await Promise.all(
    clients.map(async (clientId) => {
      const { endpoints } = await healthOfLatest(ctx, clientId, messagesPerClient);
      return endpoints.map((health) => [keyOf(clientId, health.origin), health] as const);
    }),
  );
  const healthByKey = new Map(healths.flat());
  return groups.flatMap((group): FailingEndpoint[] => {
    const [{ client_id, url }] = group;
    const origin = originOf(url);
    const health = healthByKey.get(keyOf(client_id, origin));
    // The endpoint has recovered: the waiting webhooks will be acknowledged when they are retried.
    if (health !== undefined && health.success_rate !== null && health.failing_since === null) return [];
    const firstFailures = group.flatMap(({ attempts }) => attempts[0]?.started_at ?? []);
    const isLastSuccessKnown = (health?.success_rate ?? 0) > 0;
    const latest = group.toSorted((one, other) => other.created_at.localeCompare(one.created_at))[0];
    return [
      {
        client_id,
        origin,
        failed: 0,
        waiting: Math.max(group.length, health?.waiting ?? 0),
        since: earliest([...(isLastSuccessKnown ? [] : firstFailures), health?.failing_since ?? '~']),
        last_error:
          health?.last_error ?? (latest === undefined ? null : lastErrorOf(deliverySummary(latest))),
      },
    ];
  });
}

function isRetried({ state, attempts }: Delivery): boolean {
  const isFinished = state === 'acknowledged' || state === 'failed';
  return !isFinished && attempts.at(-1)?.error !== undefined;
}
