/**
 * Lists the endpoints of all clients whose webhooks failed in the last 24 hours or wait for a retry. The number of reads is
 * limited.
 *
 * When a webhook has failed permanently, it has an entry in the Activity Log. Until then, for hours, the webhook waits for
 * its retries and is in the due index. This module reads some entries of the log and some rows of the index.
 */

import { modeOf } from '../contract/mode.ts';
import { retryDelaysSeconds } from '../contract/webhook-worker-times.ts';
import { lostAfterSeconds } from '../due/due-index.ts';
import { rowsDueLater } from '../due/due-rows.dynamo.ts';
import { addDays, addSeconds } from '../platform/clock.ts';
import { isDeliveryFinished, originOf } from '../webhook/delivery.ts';
import { readDeliveries } from '../webhook/delivery-store.dynamo.ts';
import { deliverySummary, lastErrorOf } from '../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../webhook/webhook-response.schema.ts';
import { listActivity } from './activity.ts';
import type { AdminContext } from './admin-context.ts';

export async function failingEndpoints(ctx: AdminContext) {
  const now = ctx.clock();
  const [failed, waiting] = await Promise.all([failedWebhooks(ctx, now), waitingWebhooks(ctx, now)]);
  const known = new Map([...failed.deliveries, ...waiting].map((each) => [each.delivery_id, each]));
  const groups = Map.groupBy(known.values(), ({ client_id, url }) => `${client_id} ${originOf(url)}`);
  const endpoints = [...groups.values()].map((group) => {
    const newestFirst = group.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
    const [newest, oldest] = [newestFirst[0] as DeliverySummary, newestFirst.at(-1) as DeliverySummary];
    const lost = group.filter(({ state }) => state === 'failed').length;
    return {
      client_id: newest.client_id,
      /** Scheme, host and port; for a queue or an event bus, its ARN. */
      origin: originOf(newest.url),
      /** Webhooks that failed permanently in the last 24 hours and have not been acknowledged since. */
      failed: lost,
      /** Webhooks that failed and wait for a retry; there may be more than were read. */
      waiting: group.length - lost,
      /** The time of the oldest event of these webhooks. */
      since: oldest.created_at,
      last_error: lastErrorOf(newest),
    };
  });
  return {
    endpoints: endpoints.toSorted((one, other) => other.failed - one.failed || other.waiting - one.waiting),
    moreFailed: failed.more,
  };
}

const entriesPerPage = 100;
/** Limits the failed webhooks that are read for one client, so that they do not hide the webhooks of other clients. */
const failedPagesMax = 5;

async function failedWebhooks(ctx: AdminContext, now: Date) {
  const deliveries: DeliverySummary[] = [];
  const range = {
    kind: 'webhook_failed',
    since: addDays(now, -1),
    until: now,
    limit: entriesPerPage,
  } as const;
  let cursor: string | undefined;
  for (let pages = 0; pages < failedPagesMax; pages += 1) {
    const page = await listActivity(ctx, { ...range, cursor });
    for (const { delivery } of page.entries) if (delivery?.state === 'failed') deliveries.push(delivery);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  return { deliveries, more: cursor !== undefined };
}

/** The index has 32 shards, so a read of all shards returns about 600 webhooks. */
const rowsPerShard = 6;
/**
 * A webhook that is due later than this waits for a retry; a webhook that is due earlier may not have had an attempt yet.
 */
const firstDueSeconds = lostAfterSeconds + 5;

/**
 * Returns some webhooks that failed and wait for a retry. It reads the same number for retries within minutes, after an hour
 * and after six hours, so that one endpoint with many webhooks does not hide the others.
 */
async function waitingWebhooks(ctx: AdminContext, now: Date): Promise<readonly DeliverySummary[]> {
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
  const ids = [...new Set(rows.flat().map(({ delivery_id }) => String(delivery_id)))];
  const deliveries = ids.length === 0 ? [] : await readDeliveries(ctx, ids, { consistent: false });
  return deliveries
    .filter(
      (delivery) =>
        modeOf(delivery.client_id) === ctx.mode &&
        !isDeliveryFinished(delivery) &&
        delivery.attempts.at(-1)?.error !== undefined,
    )
    .map(deliverySummary);
}
