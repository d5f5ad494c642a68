/**
 * Finds overdue deliveries and enqueues them, so that a message lost by SQS or EventBridge Scheduler loses no
 * delivery. Also enqueues retries that may have no schedule, minutes ahead. Disables endpoints that have acknowledged
 * nothing for days.
 */

import { isolateRefused } from '../platform/aws/permanent-fault.ts';
import { addSeconds } from '../platform/clock.ts';
import {
  type DueItemRun,
  errorOf,
  type NextReview,
  processDueItems,
  type ReviewResult,
  readRows,
} from '../recovery/process-due-items.ts';
import type { SetAside } from '../recovery/set-aside.sqs.ts';
import { type DisableDependencies, disableIfFailing, isEndpointDueItem } from './deliver/disable-endpoint.ts';
import { type Delivery, nextReviewAt } from './delivery.ts';
import { delayOfNearRetry, type Enqueued, enqueue } from './delivery-queue.sqs.ts';
import type { DeliveryStore } from './delivery-store.dynamo.ts';

interface SweepDependencies extends DueItemRun, DisableDependencies {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'getMany' | 'create'>;
  readonly setAside: SetAside;
}

/** How long the sweep waits at least, and at most, before it enqueues the same delivery again. */
const sweepPauseSeconds = 300;
const sweepPauseMaxSeconds = 3600;
/** A delivery that its queue refuses permanently is tried again at this interval, for this time. */
const refusedPauseSeconds = 3600;
const refusedForSeconds = 86_400;

interface Overdue extends Enqueued {
  readonly reviewAt: Date;
}

/**
 * Enqueues each overdue delivery, then adds it to the due-item index for a later time. A crash between the two causes
 * a second queue message, which finds the delivery held or finished. The pauses become longer, so that waiting
 * deliveries do not make a long queue much longer.
 */
export async function sweep(dependencies: SweepDependencies) {
  let enqueued = 0;
  let refused = 0;

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const { endpoints = [], deliveries = [] } = Object.groupBy(ids, (id) =>
      isEndpointDueItem(id) ? 'endpoints' : 'deliveries',
    );
    const reviews = await reviewDeliveries(deliveries);
    const failures = await Promise.all(
      endpoints.map(async (id) => [id, await disableIfFailing(dependencies, id).catch(errorOf)] as const),
    );
    return new Map([...reviews, ...failures.map(([id, failure]) => [id, failure || undefined] as const)]);
  }

  async function reviewDeliveries(ids: readonly string[]): Promise<ReviewResult> {
    const rows = await readRows(dependencies.deliveries, ids, ({ delivery_id }) => delivery_id);
    const now = dependencies.clock();
    const overdue: Overdue[] = [];
    const reviews = new Map<string, NextReview | Error>();
    for (const [id, row] of rows) {
      const found = row instanceof Error ? undefined : overdueRow(row, now);
      if (found !== undefined) overdue.push(found);
      reviews.set(id, row instanceof Error ? row : (found?.reviewAt ?? nextReviewAt(row)));
    }
    await isolateRefused(
      overdue,
      async (some) => {
        await enqueue(dependencies.queue, some);
        enqueued += some.length;
      },
      async ({ delivery }, error) => {
        refused += 1;
        const since = new Date(delivery.created_at);
        await dependencies.setAside({
          summary: `The webhook ${delivery.event} was refused by its queue`,
          clientId: delivery.client_id,
          messageId: delivery.message_id,
          deliveryId: delivery.delivery_id,
          since,
          error,
        });
        const givenUp = now > addSeconds(since, refusedForSeconds);
        reviews.set(delivery.delivery_id, givenUp ? undefined : addSeconds(now, refusedPauseSeconds));
      },
    );
    return reviews;
  }

  return { ...(await processDueItems(dependencies, 'deliveries', review)), enqueued, refused };
}

function overdueRow(delivery: Delivery, now: Date): Overdue | undefined {
  const at = nextReviewAt(delivery);
  if (at === undefined) return undefined;
  const delaySeconds = delayOfNearRetry(delivery, now);
  if (delaySeconds !== undefined) return { delivery, delaySeconds, reviewAt: at };
  if (at > now) return undefined;
  return { delivery, swept: true, reviewAt: sweptAgainAt(new Date(delivery.attempt_due_at), now) };
}

/**
 * Returns when the sweep enqueues a delivery again: after as long as it has already waited, so that waiting
 * deliveries get few further messages in a long queue.
 */
function sweptAgainAt(dueAt: Date, now: Date): Date {
  const waitedSeconds = (now.getTime() - dueAt.getTime()) / 1000;
  return addSeconds(now, Math.min(sweepPauseMaxSeconds, Math.max(sweepPauseSeconds, waitedSeconds)));
}
