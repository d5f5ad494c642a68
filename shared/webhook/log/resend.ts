/**
 * A request to resend many of a client's webhooks. This file contains its row, and the steps that find and resend the
 * deliveries.
 *
 * The request counts the matching deliveries step by step. It then resends them, about 50 in a step. Even if a process dies
 * at any line, or two processes take the same step, the request resends each delivery exactly once:
 *
 * 1. reads the deliveries of the step, from the position in the request's row, the oldest first.
 * 2. makes each delivery `pending`, on the condition that it has not changed, else reads it again; its row then names
 *    the request. A repeated step finds the name, counts the delivery and does not resend it.
 * 3. enqueues them; a repeated step enqueues those again that are still pending. If there are two messages, only one
 *    finds the attempt due.
 * 4. writes the new position and the counts, on the condition that no other process has.
 *
 * A process works on a request for some seconds and then puts its id into the retry queue. A worker of that queue continues.
 * If the queue message is lost, or a process died, the due index finds the row, as for deliveries.
 */

import * as z from 'zod/mini';
import { keptDays } from '../../contract/mode.ts';
import { dueFields, dueRowFields, lookAfter } from '../../due/due-index.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, addSeconds, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { derivedId } from '../../platform/ids.ts';
import { openObject } from '../../platform/object-fields.ts';
import { sendAlert } from '../deliver/alert-failure.ts';
import { type Delivery, originOf, resendDue } from '../delivery.ts';
import { enqueueDeliveries, sendWebhookRetries } from '../delivery-queue.sqs.ts';
import {
  consistentRead,
  listDeliveryKeys,
  readDeliveries,
  readDelivery,
  replaceDelivery,
  replaceRow,
  storeRow,
  type WebhookContext,
} from '../delivery-store.dynamo.ts';

/** `matching` counts the deliveries, `sending` resends them. */
export const resendStatuses = ['matching', 'sending', 'completed'] as const;

export const resendableStates = ['failed', 'acknowledged', 'skipped'] as const;

const time = z.iso.datetime();
const count = z.int().check(z.nonnegative());

/**
 * The webhooks to resend: those in this state whose event is in the time range, to one endpoint, one origin, or all
 * destinations.
 */
const resendFilterSchema = openObject({
  endpoint_id: z.exactOptional(z.string()),
  origin: z.exactOptional(z.string()),
  state: z.enum(resendableStates),
  since: time,
  until: time,
});
export type ResendFilter = Readonly<z.output<typeof resendFilterSchema>>;

export const resendSchema = z.readonly(
  z.extend(resendFilterSchema, {
    resend_id: z.string(),
    client_id: z.string(),
    actor: z.string(),
    status: z.enum(resendStatuses),
    /** Where the next step of the current status starts; absent at the beginning. */
    cursor: z.exactOptional(z.string()),
    matched: count,
    resent: count,
    created_at: time,
    completed_at: z.exactOptional(time),
    purge_at: z.int(),
    ...dueRowFields,
    /** Changes with each write. The next write requires that it is unchanged. */
    revision: z.string(),
  }),
);
export type Resend = z.output<typeof resendSchema>;

export function newResend(
  asked: ResendFilter & { readonly resend_id: string; readonly client_id: string; readonly actor: string },
  now: Date,
  retentionDays: number,
  revision: string,
): Resend {
  return {
    ...asked,
    status: 'matching',
    matched: 0,
    resent: 0,
    created_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, keptDays(asked.client_id, retentionDays))),
    revision,
    ...dueFields(asked.resend_id, lookAfter(now)),
  };
}

/** Returns the same id for the same request. `open` is a number if the request's range has no end. */
export function resendIdOf(
  clientId: string,
  { endpoint_id = '', origin = '', state, since, until }: ResendFilter,
  open: number | undefined,
): string {
  const end = open === undefined ? until : `open ${open}`;
  return derivedId('whr', clientId, endpoint_id, origin, state, since, end);
}

/**
 * Returns the row after a step. At the end of the list, the status changes from `matching` to `sending`, or from `sending`
 * to `completed`.
 */
export function afterStep(
  resend: Resend,
  step: {
    readonly matched: number;
    readonly resent: number;
    /** Undefined if the step reached the end of the list. */
    readonly cursor: string | undefined;
  },
  now: Date,
  revision: string,
): Resend {
  const { cursor: _cursor, ...rest } = resend;
  const resent = resend.resent + step.resent;
  // If two processes take the same step, only one writes its counts, but the other may have resent more deliveries than
  // those counts show.
  const matched = Math.max(resend.matched + step.matched, resent);
  const due = dueFields(resend.resend_id, lookAfter(now));
  const counted = { ...rest, matched, resent, revision, ...due };
  if (step.cursor !== undefined) return { ...counted, cursor: step.cursor };
  if (resend.status === 'matching' && counted.matched > 0) return { ...counted, status: 'sending' };
  const finished = dueFields(resend.resend_id, undefined);
  return { ...counted, ...finished, status: 'completed', completed_at: now.toISOString() };
}

/** True if the delivery matches the destination and the time range of the request. */
function isAskedFor(filter: ResendFilter, delivery: Delivery): boolean {
  return (
    (filter.endpoint_id === undefined || delivery.endpoint_id === filter.endpoint_id) &&
    (filter.origin === undefined || originOf(delivery.url) === filter.origin) &&
    delivery.created_at >= filter.since &&
    delivery.created_at <= filter.until
  );
}

/**
 * This must exceed the difference between the clocks of two processes: one takes the request, the other delivers the
 * webhook.
 */
const clocksDifferSeconds = 5;

/**
 * True if this request must resend the delivery now. A delivery that finished after the request is not included, so a
 * resent webhook that fails again is not resent twice.
 */
export function isDue(resend: Resend, delivery: Delivery): boolean {
  const finishedUntil = addSeconds(new Date(resend.created_at), clocksDifferSeconds).toISOString();
  return (
    delivery.client_id === resend.client_id &&
    delivery.state === resend.state &&
    !isResentBy(resend, delivery) &&
    (delivery.finished_at ?? '') <= finishedUntil &&
    isAskedFor(resend, delivery)
  );
}

function isResentBy({ resend_id }: Resend, { resent_by }: Delivery): boolean {
  return resent_by === resend_id;
}

/** Stores the request unless its id exists. The call can be repeated. */
export async function storeResend(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  resend: Resend,
): Promise<void> {
  await storeRow(context, rowOfResend(resend));
}

/** Reads consistently. */
export function readResend(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  resendId: string,
): Promise<Resend | undefined> {
  return readRow(context.db, resendSchema, consistentRead(context, resendId));
}

/**
 * Replaces the row with `next` if it is still `seen`. Returns false if another write came first. The call can be repeated.
 */
export function replaceResend(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  seen: Resend,
  next: Resend,
): Promise<boolean> {
  return replaceRow(context, seen, rowOfResend(next));
}

/** The row stores the id of the request in `delivery_id`. */
function rowOfResend(resend: Resend) {
  return { ...resend, delivery_id: resend.resend_id };
}

const deliveriesPerStep = 50;

/** The number of deliveries that one step reads, including those that do not match. */
const readPerStep = 100;

/** The minimum duration of a step, so that a resend does not flood endpoints that have just recovered. */
const stepMs = 2500;

export const resentPerSecond = deliveriesPerStep / (stepMs / 1000);

/** How long a process takes steps. The time limits of API requests and workers are much longer. */
const worksForSeconds = 4;

/** Takes steps for some seconds, then leaves the rest to a worker. Returns undefined if the resend does not exist. */
export async function runResend(context: WebhookContext, resendId: string): Promise<Resend | undefined> {
  const { clock, sleep, newId } = context;
  const endsAt = addSeconds(clock(), worksForSeconds);
  let resend = await readResend(context, resendId);
  while (resend !== undefined && resend.status !== 'completed') {
    if (clock() >= endsAt) {
      const message = { resend_id: resendId };
      await sendWebhookRetries(context, [{ clientId: resend.client_id, message, delaySeconds: 0 }]);
      return resend;
    }
    const startedAt = clock().getTime();
    const step = await takeStep(context, resend);
    const next = afterStep(resend, step, clock(), newId());
    // Slow writes mean that the table is busy, so the next step waits at least as long as this step took.
    const tookMs = clock().getTime() - startedAt;
    // Another process has taken this step, and continues.
    if (!(await replaceResend(context, resend, next))) return readResend(context, resendId);
    resend = next;
    if (resend.status === 'sending' && step.resent > 0) await sleep(Math.max(stepMs - tookMs, tookMs));
  }
  return resend;
}

/** Sorts after every id, so that the position is after all deliveries of its time. */
const last = '~';

async function takeStep(
  context: WebhookContext,
  resend: Resend,
): Promise<{
  readonly matched: number;
  readonly resent: number;
  /** Undefined if the step reached the end of the list. */
  readonly cursor: string | undefined;
}> {
  const keys = await listDeliveryKeys(context, {
    ...{ clientId: resend.client_id, failed: resend.state === 'failed', order: 'oldest first' },
    ...{ after: resend.cursor ?? resend.since, before: `${resend.until}${last}`, limit: readPerStep },
  });
  const rows = await readDeliveries(
    context,
    keys.map(({ delivery_id }) => delivery_id),
  );
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const included: Delivery[] = [];
  let cursor: string | undefined;
  for (const { delivery_id, list_at } of keys) {
    if (resend.status === 'sending' && included.length === deliveriesPerStep) break;
    cursor = list_at;
    const row = byId.get(delivery_id);
    if (row !== undefined && (isDue(resend, row) || isResentBy(resend, row))) included.push(row);
  }
  const isEnd = keys.length < readPerStep && cursor === keys.at(-1)?.list_at;
  const end = isEnd ? undefined : cursor;
  if (resend.status === 'matching') return { matched: included.length, resent: 0, cursor: end };
  return { matched: 0, resent: await resendAll(context, resend, included), cursor: end };
}

/** @returns the number of these deliveries that the request has resent, now or in an earlier step */
async function resendAll(
  context: WebhookContext,
  resend: Resend,
  included: readonly Delivery[],
): Promise<number> {
  const { clock } = context;
  const now = clock();
  // Spreads the attempts over half of the step, so that a burst of POSTs does not delay other webhooks.
  const dueAt = (index: number) => addSeconds(now, (index * stepMs) / deliveriesPerStep / 2000);
  const all = await allEnded(included.map((row, index) => resentOne(context, resend, row, dueAt(index))));
  const resent = all.filter((row) => row !== undefined);
  await enqueueDeliveries(
    context,
    resent
      .filter((row) => row.state === 'pending' && row.attempt_trigger === 'manual')
      .map((delivery) => ({ delivery, delaySeconds: secondsUntilDue(delivery, clock()) })),
  );
  return resent.length;
}

/** Returns the delivery if this request has resent it, now or earlier. */
async function resentOne(
  context: WebhookContext,
  resend: Resend,
  seen: Delivery,
  dueAt: Date,
): Promise<Delivery | undefined> {
  let row: Delivery | undefined = seen;
  while (row !== undefined && isDue(resend, row)) {
    const next = resendDue(row, dueAt, context.newId(), resend.resend_id);
    if (row.alert_pending) await sendAlert(context, row);
    if (await replaceDelivery(context, row, next)) return next;
    // A worker has changed the row, or another process has taken the same step, so the row is read again.
    row = await readDelivery(context, row.delivery_id);
  }
  return row !== undefined && isResentBy(resend, row) ? row : undefined;
}

/** Returns whole seconds, rounded down. The worker waits for the rest, which is less than a second. */
function secondsUntilDue(delivery: Delivery, now: Date): number {
  return Math.max(0, Math.floor((Date.parse(delivery.attempt_due_at) - now.getTime()) / 1000));
}
