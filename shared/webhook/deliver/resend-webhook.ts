/** Sends a finished delivery once more because a person asks: the same body and `webhook-id`, and a note of who asked. */
import type { ActivityLog } from '../../activity/activity-log.ts';
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import type { Clock } from '../../platform/clock.ts';
import { derivedIdAt } from '../../platform/ids.ts';
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

/** What became of a request to send one delivery again. Asking a second time for the same delivery is harmless. */
export type ResendResult =
  | { readonly kind: 'resent'; readonly attemptNumber: number }
  /** An attempt is scheduled or under way, by the retry schedule or by an earlier request: no other is added. */
  | { readonly kind: 'already_waiting'; readonly state: DeliveryState }
  /** The endpoint has it by now: only sent again where `evenAcknowledged` says so. */
  | { readonly kind: 'acknowledged_meanwhile' }
  | { readonly kind: 'not_found' };

export interface ResendOptions {
  /** For a person who looks at one acknowledged delivery and wants it sent again; never for a set of failed ones. */
  readonly evenAcknowledged?: boolean | undefined;
}

/**
 * The activity entry is written first, under an id of this attempt: no resend goes without a record of who asked. Then
 * the agenda entry: once the row says `pending` the attempt is made, by the queue message or by the sweep.
 *
 * A request that died before its queue message is repaired by the next one for the same delivery: it sends the message
 * again, and of two messages only one finds the attempt due.
 */
export async function resend(
  dependencies: ResendDependencies,
  deliveryId: string,
  actor: string,
  { evenAcknowledged = false }: ResendOptions = {},
): Promise<ResendResult> {
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
    message_id: seen.message_id,
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

function withoutResend({ state }: Delivery): ResendResult {
  return state === 'acknowledged' ? { kind: 'acknowledged_meanwhile' } : { kind: 'already_waiting', state };
}
