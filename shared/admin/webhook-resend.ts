/** An administrator's resends of webhooks: of some by their ids, paced, or of a client's by a request that the gateway works on. */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { addDays, type Sleep } from '../platform/clock.ts';
import { isId } from '../platform/ids.ts';
import { runPaced } from '../platform/long-lists.ts';
import { retry } from '../platform/retry.ts';
import {
  type ResendOptions,
  type ResendOutcome,
  type ResendRequest,
  requestResend,
  resend,
  resendView,
  showResend,
} from '../webhook/log/request-resend.ts';
import { runResend } from '../webhook/log/run-resend.ts';
import type { ResendView } from '../webhook/webhook-response.schema.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './find-client.ts';
import { keyText } from './request-fields.ts';

export const resendBody = z.object({
  delivery_ids: z.array(keyText).check(z.minLength(1), z.maxLength(100)),
  even_acknowledged: z.optional(z.boolean()),
});

export interface ResendResult {
  readonly delivery_id: string;
  /** `failed`: the gateway's storage or queue did not answer; the resend can be repeated. */
  readonly outcome: ResendOutcome['kind'] | 'failed';
  /** The reason of `failed`. */
  readonly error?: string;
}

/**
 * The number of concurrent resends. With more, calls would wait for a connection of the AWS client until they time out.
 */
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

/** @throws GatewayError `not_found` or `endpoint_disabled` */
export async function resendMany(
  dependencies: AdminDependencies,
  actor: string,
  client: string,
  request: ResendRequest,
): Promise<ResendView> {
  const clientId = await clientIdOf(dependencies, client);
  return resendView(await requestResend(dependencies.webhookLog, clientId, actor, request));
}

/** @throws GatewayError `not_found` */
export async function showResendMany(
  dependencies: AdminDependencies,
  client: string,
  resendId: string,
): Promise<ResendView> {
  const clientId = await clientIdOf(dependencies, client);
  return resendView(await showResend(dependencies.webhookLog, clientId, resendId));
}

/** Works on the request until it is completed, beside the gateway, which goes on with it if this process ends. */
export async function finishResend(
  dependencies: AdminDependencies,
  begun: ResendView,
  onProgress: (view: ResendView) => void,
): Promise<ResendView> {
  const endsAt = addDays(dependencies.clock(), 1);
  const ended = await runResend(dependencies.webhookLog, begun.resend_id, endsAt, (resend) =>
    onProgress(resendView(resend)),
  );
  return ended === undefined ? begun : resendView(ended);
}
