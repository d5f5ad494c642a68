/** Resends one finished delivery: same body, same `webhook-id`, one more attempt. For the client and for administrators. */
import type { ActivityLog } from '../../activity/activity-log.ts';
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import type { Clock } from '../../platform/clock.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import type { Delivery, DeliveryState } from '../delivery.ts';
import { resendDue } from '../delivery-transitions.ts';
import { dueItemOf } from '../plan/delivery-due-item.ts';
import type { RetryScheduler } from '../schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

export interface ResendDependencies {
  readonly deliveries: DeliveryStore;
  readonly activityLog: ActivityLog;
  readonly dueItemIndex: DueItemIndex;
  readonly retryScheduler: RetryScheduler;
  readonly clock: Clock;
  readonly newRevision: () => string;
}

/** The result of a request to resend one delivery. Repeating the request is safe. */
export type ResendOutcome =
  | { readonly kind: 'resent'; readonly attemptNumber: number }
  /** An attempt is already scheduled or running; no other is added. */
  | { readonly kind: 'already_waiting'; readonly state: DeliveryState }
  /** The endpoint acknowledged it; only `evenAcknowledged` resends it. */
  | { readonly kind: 'acknowledged_meanwhile' }
  | { readonly kind: 'not_found' };

export interface ResendOptions {
  /** Where a person chose this one delivery; never for a set of failed ones. */
  readonly evenAcknowledged?: boolean | undefined;
}

/**
 * Writes the activity entry first, so that every resend has a record of who asked for it. Then the due item: once the
 * row is `pending`, the queue message or the sweep starts the attempt.
 *
 * If a request dies before it sends the queue message, the next request for the same delivery sends it. Of two messages
 * only one finds the attempt due.
 */
export async function resend(
  dependencies: ResendDependencies,
  deliveryId: string,
  actor: string,
  { evenAcknowledged = false }: ResendOptions = {},
): Promise<ResendOutcome> {
  const seen = await dependencies.deliveries.get(deliveryId);
  if (seen === undefined) return { kind: 'not_found' };
  const now = dependencies.clock();
  const resendable = seen.state === 'failed' || (seen.state === 'acknowledged' && evenAcknowledged);
  if (!resendable || seen.alert_pending) {
    if (seen.state === 'pending' && seen.attempt_trigger === 'manual')
      await dependencies.retryScheduler.schedule(seen, now);
    return withoutResend(seen);
  }
  const next = resendDue(seen, now, dependencies.newRevision());
  await dependencies.activityLog.add({
    entry_id: derivedIdAt('act', now, 'webhook_resent', deliveryId, String(next.attempt_number), actor),
    kind: 'webhook_resent',
    at: now.toISOString(),
    summary: `${actor} asked for ${seen.event} to be sent again`,
    client_id: seen.client_id,
    ...withoutUndefined({ message_id: seen.message_id }),
    delivery_id: deliveryId,
    actor,
  });
  await dependencies.dueItemIndex.add('deliveries', dueItemOf(next));
  if (!(await dependencies.deliveries.replace(seen, next))) {
    const faster = await dependencies.deliveries.get(deliveryId);
    return faster === undefined ? { kind: 'not_found' } : withoutResend(faster);
  }
  await dependencies.retryScheduler.schedule(next, now);
  return { kind: 'resent', attemptNumber: next.attempt_number };
}

function withoutResend({ state }: Delivery): ResendOutcome {
  return state === 'acknowledged' ? { kind: 'acknowledged_meanwhile' } : { kind: 'already_waiting', state };
}
