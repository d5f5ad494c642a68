/**
 * Resends many webhooks, step by step: counts the matching deliveries, then resends them, about 50 in a step. If a
 * process dies at any line, or two processes take the same step, one request still resends nothing twice and leaves
 * nothing out:
 *
 * 1. reads the deliveries of the step, from the position in the request's row, the oldest first.
 * 2. adds them to the due-item index, so that the sweep delivers those that a queue loses.
 * 3. makes each delivery `pending`, on the condition that it has not changed, else reads it again; its row then names
 *    the request. A repeated step finds the name, counts the delivery and does not resend it.
 * 4. enqueues them; a repeated step enqueues those again that are still pending. If there are two messages, only one
 *    finds the attempt due.
 * 5. writes the new position and the counts, on the condition that no other process has.
 *
 * The request is in the due-item index until it is completed, so the run of each minute continues it.
 */
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import {
  type DueItemRun,
  errorOf,
  type NextReview,
  type ProcessedDueItems,
  processDueItems,
} from '../../recovery/process-due-items.ts';
import { sendAlert } from '../deliver/alert-failure.ts';
import { type Delivery, dueItemOf, resendDue } from '../delivery.ts';
import { enqueue } from '../delivery-queue.sqs.ts';
import type { WebhookLogDependencies } from './delivery-log.ts';
import { afterStep, isDue, isResentBy, type Resend, type StepResult } from './resend.ts';

const deliveriesPerStep = 50;
/** The deliveries that one step reads. Some of them may not match. */
const readPerStep = 100;
/** A step takes this long, so that endpoints that have just recovered are not flooded. */
const stepMs = 2500;
export const resentPerSecond = deliveriesPerStep / (stepMs / 1000);

/** Takes steps until the request is completed or the time is over. Returns undefined if there is no such request. */
export async function runResend(
  dependencies: WebhookLogDependencies,
  resendId: string,
  endsAt: Date,
  onStep: (resend: Resend) => void = () => {},
): Promise<Resend | undefined> {
  const { resends, clock, sleep, newRevision } = dependencies;
  let resend = await resends.get(resendId);
  while (resend !== undefined && resend.status !== 'completed' && clock() < endsAt) {
    const startedAt = clock().getTime();
    const step = await takeStep(dependencies, resend);
    const next = afterStep(resend, step, clock(), newRevision());
    // Slow writes mean that others use the table, so the next step waits at least as long as this one took.
    const tookMs = clock().getTime() - startedAt;
    const isNext = await resends.replace(resend, next);
    // Another process took this step, or goes on with it.
    resend = isNext ? next : await resends.get(resendId);
    if (resend !== undefined) onStep(resend);
    if (resend?.status === 'sending' && step.resent > 0) await sleep(Math.max(stepMs - tookMs, tookMs));
  }
  return resend;
}

/** Sorts after every id in a position. */
const last = '~';

async function takeStep(dependencies: WebhookLogDependencies, resend: Resend): Promise<StepResult> {
  const { deliveries } = dependencies;
  const keys = await deliveries.list({
    ...{ clientId: resend.client_id, failed: resend.state === 'failed', order: 'oldest first' },
    ...{ after: resend.cursor ?? resend.since, before: `${resend.until}${last}`, limit: readPerStep },
  });
  const rows = await deliveries.getMany(keys.map(({ delivery_id }) => delivery_id));
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
  return { matched: 0, resent: await resendAll(dependencies, resend, included), cursor: end };
}

/** @returns the number of the deliveries that this request has resent, now or before. */
async function resendAll(
  dependencies: WebhookLogDependencies,
  resend: Resend,
  included: readonly Delivery[],
): Promise<number> {
  const { dueItemIndex, queue, clock, newRevision } = dependencies;
  const now = clock();
  // The attempts are spread over half of the step, so that no burst of POSTs delays others.
  const dueAt = (index: number) => addSeconds(now, (index * stepMs) / deliveriesPerStep / 2000);
  const due = included.filter((row) => isDue(resend, row));
  await dueItemIndex.add(
    'deliveries',
    due.flatMap((row, index) => dueItemOf(resendDue(row, dueAt(index), newRevision()))),
  );
  const all = await allEnded(
    included.map((row, index) => resentOne(dependencies, resend, row, dueAt(index))),
  );
  const resent = all.filter((row) => row !== undefined);
  await enqueue(
    queue,
    resent
      .filter((row) => row.state === 'pending' && row.attempt_trigger === 'manual')
      .map((delivery) => ({ delivery, delaySeconds: secondsUntil(delivery, clock()) })),
  );
  return resent.length;
}

/** Returns the delivery if this request has resent it, now or before. */
async function resentOne(
  dependencies: WebhookLogDependencies,
  resend: Resend,
  seen: Delivery,
  dueAt: Date,
): Promise<Delivery | undefined> {
  const { deliveries, newRevision } = dependencies;
  let row: Delivery | undefined = seen;
  while (row !== undefined && isDue(resend, row)) {
    const next = resendDue(row, dueAt, newRevision(), resend.resend_id);
    if (row.alert_pending) await sendAlert(dependencies, row);
    if (await deliveries.replace(row, next)) return next;
    // A worker has noted the alert in the meantime, or another process has taken the same step.
    row = await deliveries.get(row.delivery_id);
  }
  return row !== undefined && isResentBy(resend, row) ? row : undefined;
}

/** Returns whole seconds. An early message keeps a worker waiting for less than a second. */
function secondsUntil(delivery: Delivery, now: Date): number {
  return Math.max(0, Math.floor((Date.parse(delivery.attempt_due_at) - now.getTime()) / 1000));
}

/**
 * The number of requests that are read together above which each gets only a part of the minute, so that the next ones
 * get some of it.
 */
const wholeMinuteRequestsMax = 20;
const sharedMinuteSeconds = 10;

/**
 * Continues the uncompleted requests to resend many webhooks: each minute, until the time is over. The requests of
 * one client run one after the other; those of several clients run side by side.
 */
export async function continueResends(
  dependencies: DueItemRun & WebhookLogDependencies,
): Promise<ProcessedDueItems> {
  const { clock, budgetMs, resends } = dependencies;
  const endsAt = addSeconds(clock(), budgetMs / 1000);
  return processDueItems(dependencies, 'resends', async (ids) => {
    const reviews = new Map<string, NextReview | Error>();
    const theseEndAt =
      ids.length > wholeMinuteRequestsMax
        ? earlierOf(endsAt, addSeconds(clock(), sharedMinuteSeconds))
        : endsAt;
    const rows = await Promise.all(
      ids.map(async (id) => [id, await resends.get(id).catch(errorOf)] as const),
    );
    const byClient = Map.groupBy(rows, ([id, row]) =>
      row === undefined || row instanceof Error ? id : row.client_id,
    );
    await Promise.all(
      Array.from(byClient.values(), async (some) => {
        for (const [id, row] of some) reviews.set(id, await continued(dependencies, id, row, theseEndAt));
      }),
    );
    return reviews;
  });
}

async function continued(
  dependencies: DueItemRun & WebhookLogDependencies,
  id: string,
  row: object | Error | undefined,
  endsAt: Date,
): Promise<NextReview | Error> {
  if (row instanceof Error) return row;
  try {
    const resend = await runResend(dependencies, id, endsAt);
    return resend === undefined || resend.status === 'completed' ? undefined : dependencies.clock();
  } catch (error) {
    return errorOf(error);
  }
}
