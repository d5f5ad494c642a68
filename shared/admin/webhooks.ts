/** An administrator's operations on webhooks: lists those that failed, shows one with its attempts, resends. */
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../contract/errors.ts';
import type { Sleep } from '../platform/clock.ts';
import { isId } from '../platform/ids.ts';
import { retry } from '../platform/retry.ts';
import { runPaced } from '../platform/run-paced.ts';
import type { DeliverySummary, DeliveryView } from '../webhook/log/delivery-response.schema.ts';
import { deliveryView } from '../webhook/log/delivery-view.ts';
import { type ResendOptions, type ResendOutcome, resend } from '../webhook/resend/resend-webhook.ts';
import { listActivity, retentionRange } from './activity.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './clients.ts';

/** @throws GatewayError `not_found` */
export async function showDelivery(
  dependencies: AdminDependencies,
  deliveryId: string,
): Promise<DeliveryView> {
  const delivery = isId('whd', deliveryId) ? await dependencies.deliveries.get(deliveryId) : undefined;
  if (delivery === undefined) throw new GatewayError('not_found', 'There is no such webhook.');
  return deliveryView(delivery);
}

const entriesPerPage = 100;

/**
 * Webhooks that failed for good and have not been acknowledged since, the latest failure first.
 *
 * @throws GatewayError if there is no such client.
 */
export async function failedWebhooks(
  dependencies: AdminDependencies,
  of: { /** Or its name. */ readonly clientId?: string | undefined; readonly limit: number },
): Promise<readonly DeliverySummary[]> {
  const clientId = of.clientId === undefined ? undefined : await clientIdOf(dependencies, of.clientId);
  const failed = new Map<string, DeliverySummary>();
  let cursor: string | undefined;
  do {
    const page = await listActivity(dependencies, {
      kind: 'webhook_failed',
      clientId,
      ...retentionRange(dependencies),
      limit: entriesPerPage,
      cursor,
    });
    for (const { delivery } of page.entries) {
      if (delivery?.state === 'failed' && failed.size < of.limit) failed.set(delivery.delivery_id, delivery);
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined && failed.size < of.limit);
  return [...failed.values()];
}

export interface ResendResult {
  readonly delivery_id: string;
  /** `failed`: the gateway's storage or queue did not answer; the resend can be repeated. */
  readonly outcome: ResendOutcome['kind'] | 'failed';
  /** The reason of `failed`. */
  readonly error?: string;
}

/** With more, calls would wait for a connection of the AWS client until they time out. */
const resendsAtOnce = 10;
/** Limits the load on endpoints that have just recovered, and on the queue that all webhooks share. */
const resendsPerSecond = 20;
/** A resend may be repeated, so one that failed is retried. */
const resendRetryDelaysMs = [200, 1000];

interface ResendWebhooksOptions extends ResendOptions {
  readonly sleep?: Sleep;
  /** Called after each result, with the number of results so far. */
  readonly onResult?: (result: ResendResult, done: number, total: number) => void;
}

/** Resends each webhook and returns one result for each; a failed one does not affect the others. */
export async function resendWebhooks(
  dependencies: AdminDependencies,
  actor: string,
  deliveryIds: readonly string[],
  { evenAcknowledged, sleep = (ms) => pause(ms), onResult }: ResendWebhooksOptions = {},
): Promise<readonly ResendResult[]> {
  const resendDependencies = {
    deliveries: dependencies.deliveries,
    activityLog: dependencies.activityLog,
    clock: dependencies.clock,
    ...dependencies.resend,
  };
  const ids = [...new Set(deliveryIds)];
  const results = new Map<string, ResendResult>();
  const pace = { atOnce: resendsAtOnce, perSecond: resendsPerSecond, sleep };
  await runPaced(ids, pace, async (delivery_id) => {
    const result = await retry({ delaysMs: resendRetryDelaysMs, sleep }, async () =>
      // The table also has rows that are not deliveries.
      isId('whd', delivery_id)
        ? resend(resendDependencies, delivery_id, actor, { evenAcknowledged })
        : ({ kind: 'not_found' } as const),
    ).then(
      ({ kind }): ResendResult => ({ delivery_id, outcome: kind }),
      (error: unknown): ResendResult => ({ delivery_id, outcome: 'failed', error: reasonOf(error) }),
    );
    results.set(delivery_id, result);
    onResult?.(result, results.size, ids.length);
  });
  return ids.map((id) => results.get(id)).filter((result) => result !== undefined);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
