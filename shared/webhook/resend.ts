/** Sends a finished delivery once more because a person asks: the same body and `webhook-id`, and a note of who asked. */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { Agenda } from '../agenda/agenda.ts';
import type { Clock } from '../clock.ts';
import { derivedIdAt } from '../ids.ts';
import { appointmentOf } from './appointment.ts';
import type { DeliveryState } from './delivery.ts';
import { resendDue } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Wake } from './wake.ts';

export interface ResendPorts {
  readonly deliveries: DeliveryStore;
  readonly activityLog: ActivityLog;
  readonly agenda: Agenda;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly newRevision: () => string;
}

type Resent =
  | { readonly kind: 'resent'; readonly attemptNumber: number }
  /** It is still on its way by itself, or somebody else was faster. */
  | { readonly kind: 'under_way'; readonly state: DeliveryState }
  | { readonly kind: 'unknown' };

/**
 * The note is written first, under an id of this attempt: a resend without a note of who asked cannot be. Then the
 * place in the agenda: once the row says `pending` the attempt will be made, by the wake or by the sweep.
 */
export async function resend(ports: ResendPorts, deliveryId: string, actor: string): Promise<Resent> {
  const seen = await ports.deliveries.get(deliveryId);
  if (seen === undefined) return { kind: 'unknown' };
  if ((seen.state !== 'failed' && seen.state !== 'acknowledged') || seen.alert_pending) {
    return { kind: 'under_way', state: seen.state };
  }
  const now = ports.clock();
  const next = resendDue(seen, now, ports.newRevision());
  await ports.activityLog.add({
    entry_id: derivedIdAt('act', now, 'webhook_resent', deliveryId, String(next.attempt_number), actor),
    kind: 'webhook_resent',
    at: now.toISOString(),
    summary: `${actor} asked for ${seen.event} to be sent again`,
    client_id: seen.client_id,
    message_id: seen.message_id,
    delivery_id: deliveryId,
    actor,
  });
  await ports.agenda.add('deliveries', appointmentOf(next));
  if (!(await ports.deliveries.replace(seen, next))) return { kind: 'under_way', state: 'pending' };
  await ports.wake.arrange(next, now);
  return { kind: 'resent', attemptNumber: next.attempt_number };
}
