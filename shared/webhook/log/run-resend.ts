/**
 * Resends many webhooks, step by step: counts the matching deliveries, then resends them, about 50 in a step. If a
 * process dies at any line, or two processes take the same step, one request still resends nothing twice and leaves
 * nothing out:
 *
 * 1. reads the deliveries of the step, from the position in the request's row, the oldest first.
 * 2. makes each delivery `pending`, on the condition that it has not changed, else reads it again; its row then names
 *    the request. A repeated step finds the name, counts the delivery and does not resend it.
 * 3. enqueues them; a repeated step enqueues those again that are still pending. If there are two messages, only one
 *    finds the attempt due.
 * 4. writes the new position and the counts, on the condition that no other process has.
 *
 * A process works on a request for some seconds and then puts its id into the retry queue, whose worker goes on. If that
 * message is lost, or a process died, the due index finds the row, as it finds deliveries.
 */
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { addSeconds } from '../../platform/clock.ts';
import { sendAlert } from '../deliver/alert-failure.ts';
import { type Delivery, resendDue } from '../delivery.ts';
import { enqueueDeliveries, sendWebhookRetries } from '../delivery-queue.sqs.ts';
import {
  listDeliveryKeys,
  readDeliveries,
  readDelivery,
  readResend,
  replaceDelivery,
  replaceResend,
} from '../delivery-store.dynamo.ts';
import type { WebhookLogContext } from './delivery-log.ts';
import { afterStep, isDue, isResentBy, type Resend } from './resend.ts';

const deliveriesPerStep = 50;
/** The deliveries that one step reads. Some of them may not match. */
const readPerStep = 100;
/** A step takes this long, so that endpoints that have just recovered are not flooded. */
const stepMs = 2500;
export const resentPerSecond = deliveriesPerStep / (stepMs / 1000);
/** How long a process works on a request. An API request and a worker both have much more time. */
const worksForSeconds = 4;

/** Takes steps for some seconds, then leaves the rest to a worker. Returns undefined if there is no such request. */
export async function runResend(context: WebhookLogContext, resendId: string): Promise<Resend | undefined> {
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
    // Slow writes mean that others use the table, so the next step waits at least as long as this one took.
    const tookMs = clock().getTime() - startedAt;
    // Another process took this step, and goes on.
    if (!(await replaceResend(context, resend, next))) return readResend(context, resendId);
    resend = next;
    if (resend.status === 'sending' && step.resent > 0) await sleep(Math.max(stepMs - tookMs, tookMs));
  }
  return resend;
}

/** Sorts after every id in a position. */
const last = '~';

async function takeStep(
  context: WebhookLogContext,
  resend: Resend,
): Promise<{
  readonly matched: number;
  readonly resent: number;
  /** Undefined at the end of the list. */
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

/** @returns the number of the deliveries that this request has resent, now or before. */
async function resendAll(
  context: WebhookLogContext,
  resend: Resend,
  included: readonly Delivery[],
): Promise<number> {
  const { clock } = context;
  const now = clock();
  // The attempts are spread over half of the step, so that no burst of POSTs delays others.
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

/** Returns the delivery if this request has resent it, now or before. */
async function resentOne(
  context: WebhookLogContext,
  resend: Resend,
  seen: Delivery,
  dueAt: Date,
): Promise<Delivery | undefined> {
  let row: Delivery | undefined = seen;
  while (row !== undefined && isDue(resend, row)) {
    const next = resendDue(row, dueAt, context.newId(), resend.resend_id);
    if (row.alert_pending) await sendAlert(context, row);
    if (await replaceDelivery(context, row, next)) return next;
    // A worker has noted the alert in the meantime, or another process has taken the same step.
    row = await readDelivery(context, row.delivery_id);
  }
  return row !== undefined && isResentBy(resend, row) ? row : undefined;
}

/** Returns whole seconds. An early message keeps a worker waiting for less than a second. */
function secondsUntilDue(delivery: Delivery, now: Date): number {
  return Math.max(0, Math.floor((Date.parse(delivery.attempt_due_at) - now.getTime()) / 1000));
}
