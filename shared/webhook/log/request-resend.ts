/** Handles requests to resend many webhooks of a client (contract 12.4), for the client and for administrators. */
import * as z from 'zod/mini';
import { addActivity } from '../../activity/write-activity.dynamo.ts';
import { standardError } from '../../contract/errors.ts';
import { dateTime, optional } from '../../operation/fields.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { derivedIdAt, isId } from '../../platform/ids.ts';
import { isDestinationArn } from '../aws-destination.ts';
import { alertFailure } from '../deliver/alert-failure.ts';
import { type Delivery, type DeliveryState, isDeliveryFinished, resendDue } from '../delivery.ts';
import { enqueueDeliveries } from '../delivery-queue.sqs.ts';
import { readDelivery, replaceDelivery, type WebhookContext } from '../delivery-store.dynamo.ts';
import { readEndpoint } from '../endpoint-store.dynamo.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.ts';
import type { ResendView } from '../webhook-response.schema.ts';
import {
  newResend,
  type Resend,
  type ResendFilter,
  readResend,
  resendableStates,
  resendIdOf,
  runResend,
  storeResend,
} from './resend.ts';

/** The requested origin, in the form that `originOf` returns. */
const originText = z
  .string()
  .check(
    z.refine(
      (text) => URL.parse(text)?.origin === text || isDestinationArn(text),
      'must be an origin such as https://example.com, or the ARN of a queue or event bus',
    ),
  );

export const resendRequestSchema = z
  .object({
    endpoint_id: optional(z.string()),
    origin: optional(originText),
    state: optional(z.enum(resendableStates)),
    since: dateTime,
    until: optional(dateTime),
  })
  .check(
    z.refine(({ endpoint_id, origin: given }) => endpoint_id === undefined || given === undefined, {
      path: ['origin'],
      error: 'cannot be combined with endpoint_id',
    }),
    z.refine(({ since, until }) => until === undefined || since <= until, {
      path: ['until'],
      error: 'must not be before since',
    }),
  );
export type ResendRequest = z.output<typeof resendRequestSchema>;

/**
 * If a request has no end, an equal request within this time is treated as the same one. After this time it is still
 * treated as the same until the first request is completed, up to a maximum.
 */
export const sameRequestMinutes = 10;
const samePeriodsMax = 36;
const [earliestTime, latestTime] = [0, Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Stores the request with its entry in the activity log, and resends the first webhooks. The same request returns the same
 * id and sends no webhook again.
 *
 * @throws GatewayError `not_found` or `endpoint_disabled`
 */
export async function requestResend(
  context: WebhookContext,
  clientId: string,
  actor: string,
  request: ResendRequest,
): Promise<Resend> {
  const { endpoint_id } = request;
  if (endpoint_id !== undefined) {
    const isKnown = isId('whe', endpoint_id);
    assertEnabled(isKnown ? await readEndpoint(context, clientId, endpoint_id) : undefined);
  }
  const now = context.clock();
  const filter = filterOf(request, now);
  const openAt = request.until === undefined ? now : undefined;
  const known = await sameRequest(context, clientId, filter, openAt);
  if ('status' in known) return known;
  const { resendId } = known;
  const wanted = newResend(
    { ...filter, resend_id: resendId, client_id: clientId, actor },
    now,
    context.env.RETENTION_DAYS,
    context.newId(),
  );
  await addActivity(context, {
    entry_id: derivedIdAt('act', now, 'webhooks_resent', resendId, actor),
    kind: 'webhooks_resent',
    at: now.toISOString(),
    summary: `${actor} requested a resend of the ${filter.state} webhooks of ${destinationText(filter)}`,
    client_id: clientId,
    actor,
    after: { resend_id: resendId, ...filter },
  });
  await storeResend(context, wanted);
  const begun = await runResend(context, resendId);
  return begun ?? wanted;
}

/** @throws GatewayError `not_found` */
export async function showResend(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  clientId: string,
  resendId: string,
): Promise<Resend> {
  const resend = isId('whr', resendId) ? await readResend(context, resendId) : undefined;
  if (resend?.client_id !== clientId) throw standardError('not_found');
  return resend;
}

function assertEnabled(endpoint: WebhookEndpoint | undefined): void {
  if (endpoint === undefined) throw standardError('not_found');
  if (!endpoint.enabled) throw standardError('endpoint_disabled');
}

function filterOf(request: ResendRequest, now: Date): ResendFilter {
  const { endpoint_id, origin, state, since, until } = request;
  return {
    endpoint_id,
    origin,
    state: state ?? 'failed',
    since: isoOf(since),
    until: isoOf(until ?? now),
  };
}

/** Refuses years outside 1970 to 9999, because ids and sortable texts need a year of four digits from 1970 on. */
function isoOf(at: Date): string {
  return new Date(Math.min(latestTime, Math.max(earliestTime, at.getTime()))).toISOString();
}

/**
 * Returns the row of an earlier request that is treated as the same, or else the new id. @param openAt - the time of a
 * request without an end
 */
async function sameRequest(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  clientId: string,
  filter: ResendFilter,
  openAt: Date | undefined,
): Promise<Resend | { readonly resendId: string }> {
  if (openAt === undefined) {
    const resendId = resendIdOf(clientId, filter, undefined);
    return (await readResend(context, resendId)) ?? { resendId };
  }
  const period = Math.floor(openAt.getTime() / (sameRequestMinutes * 60_000));
  const ids = Array.from({ length: samePeriodsMax }, (_, before) =>
    resendIdOf(clientId, filter, period - before),
  );
  const known = await Promise.all(ids.map((id) => readResend(context, id)));
  const same = known.find(
    (one) =>
      one !== undefined &&
      (one.status !== 'completed' || addSeconds(new Date(one.created_at), sameRequestMinutes * 60) > openAt),
  );
  return same ?? { resendId: resendIdOf(clientId, filter, period) };
}

function destinationText({ endpoint_id, origin }: ResendFilter): string {
  return endpoint_id ?? origin ?? 'the client';
}

/** The result of a request to resend one delivery. The request can be repeated. */
type ResendOutcome =
  | { readonly kind: 'resent'; readonly attemptNumber: number }
  /** An attempt is already due or running, so no other attempt is added. */
  | { readonly kind: 'already_waiting'; readonly state: DeliveryState }
  /** The endpoint has already acknowledged the delivery. Only `evenAcknowledged` resends it. */
  | { readonly kind: 'acknowledged_meanwhile' }
  | { readonly kind: 'not_found' };

/**
 * Resends one finished delivery with the same body and the same `webhook-id`, for the client and for administrators.
 *
 * The activity entry is written first, so that every resend has a record of its actor. Once the row is `pending`, the queue
 * message or the due index starts the attempt.
 *
 * If the process dies before it sends the queue message, the next request for the same delivery sends it. If two queue
 * messages exist, only one of them finds the attempt due.
 */
export async function resendDelivery(
  context: WebhookContext,
  deliveryId: string,
  actor: string,
  {
    evenAcknowledged = false,
  }: {
    /** True to resend a delivery even if it is acknowledged; never true for a resend of all failed deliveries. */
    readonly evenAcknowledged?: boolean | undefined;
  } = {},
): Promise<ResendOutcome> {
  const seen = await alertedDelivery(context, deliveryId);
  if (seen === undefined) return { kind: 'not_found' };
  const now = context.clock();
  const resendable = isDeliveryFinished(seen) && (seen.state !== 'acknowledged' || evenAcknowledged);
  if (!resendable) {
    if (seen.state === 'pending' && seen.attempt_trigger === 'manual') await startResend(context, seen);
    return withoutResend(seen);
  }
  const next = resendDue(seen, now, context.newId());
  await addActivity(context, {
    entry_id: derivedIdAt('act', now, 'webhook_resent', deliveryId, String(next.attempt_number), actor),
    kind: 'webhook_resent',
    at: now.toISOString(),
    summary: `${actor} requested a resend of ${seen.event}`,
    client_id: seen.client_id,
    message_id: seen.message_id,
    delivery_id: deliveryId,
    actor,
  });
  if (!(await replaceDelivery(context, seen, next))) {
    const faster = await readDelivery(context, deliveryId);
    return faster === undefined ? { kind: 'not_found' } : withoutResend(faster);
  }
  await startResend(context, next);
  return { kind: 'resent', attemptNumber: next.attempt_number };
}

/** Returns the delivery. If an alert of the delivery is pending, sends the alert first. */
async function alertedDelivery(context: WebhookContext, deliveryId: string): Promise<Delivery | undefined> {
  const seen = await readDelivery(context, deliveryId);
  if (seen?.state !== 'failed' || !seen.alert_pending) return seen;
  await alertFailure(context, seen);
  return readDelivery(context, deliveryId);
}

/** Queues the attempt, which is due immediately. */
function startResend(context: WebhookContext, delivery: Delivery): Promise<void> {
  return enqueueDeliveries(context, [{ delivery }]);
}

function withoutResend({ state }: Delivery): ResendOutcome {
  return state === 'acknowledged' ? { kind: 'acknowledged_meanwhile' } : { kind: 'already_waiting', state };
}

/** Returns a resend of many webhooks as clients and administrators see it. */
export function resendView(resend: Resend): ResendView {
  return {
    resend_id: resend.resend_id,
    status: resend.status,
    endpoint_id: resend.endpoint_id ?? null,
    origin: resend.origin ?? null,
    state: resend.state,
    since: resend.since,
    until: resend.until,
    matched: resend.matched,
    resent: resend.resent,
    // Deliveries that were acknowledged, or resent by another request, after they were counted.
    skipped: resend.status === 'completed' ? resend.matched - resend.resent : 0,
    created_at: resend.created_at,
    completed_at: resend.completed_at ?? null,
  };
}
