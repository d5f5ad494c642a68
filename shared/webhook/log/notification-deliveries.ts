/**
 * The latest webhooks of a client that follow from no message, the newest first: test events, and notices that an endpoint was
 * disabled. They are found by the entries of the Activity Log that are written with them.
 */
import type { Activity } from '../../activity/activity-log.ts';
import type { Delivery } from '../delivery.ts';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.ts';
import { disabledNoticeId } from '../plan/notification.ts';
import type { Position } from './deliveries-of-messages.ts';
import type { FailedDependencies } from './failed-deliveries.ts';

interface LocatedNotification {
  /** Among those of messages, by the time of the event. */
  readonly position: Position;
  readonly delivery: Delivery;
}

interface NotificationRange {
  readonly clientId: string;
  /** All of the client. */
  readonly endpoints: readonly Pick<WebhookEndpoint, 'endpoint_id'>[];
  readonly since: Date;
  readonly until: Date;
}

export const entriesMax = 50;
/** Each call of DynamoDB reads 200 entries of any kind: what is before the 400 latest entries is not listed. */
const readsMax = 2;

export async function notificationDeliveries(
  { activity, deliveries }: FailedDependencies,
  { clientId, endpoints, since, until }: NotificationRange,
): Promise<readonly LocatedNotification[]> {
  const kind = ['webhook_test_sent', 'webhook_endpoint_disabled'] as const;
  const { entries } = await activity.list({ clientId, kind, since, until, limit: entriesMax, readsMax });
  const ids = entries.flatMap((entry) => idsOf(entry, endpoints));
  const rows = await deliveries.getMany(ids, { consistent: false });
  return rows
    .filter(({ client_id }) => client_id === clientId)
    .map((delivery) => ({ position: { message: positionOf(delivery) }, delivery }))
    .toSorted((one, other) => (one.position.message < other.position.message ? 1 : -1));
}

/** One test event, or a notice for each other endpoint: those that did not want it have no row. */
function idsOf(
  { kind, delivery_id, at, after }: Activity,
  endpoints: NotificationRange['endpoints'],
): readonly string[] {
  if (kind === 'webhook_test_sent') return delivery_id === undefined ? [] : [delivery_id];
  const endpointId = after?.endpoint_id;
  if (typeof endpointId !== 'string') return [];
  return endpoints.map((to) => disabledNoticeId({ endpointId, at }, to.endpoint_id));
}

/** As if it were a message with the rest of its delivery's id. */
function positionOf({ created_at, delivery_id }: Delivery): string {
  return `${created_at}#msg_${delivery_id.slice('whd_'.length)}`;
}
