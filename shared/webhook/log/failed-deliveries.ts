/**
 * A client's deliveries that have failed, the latest failure first, from the entries `webhook_failed` of the Activity Log.
 * A delivery that failed, was resent and failed again has two entries; it is found by the one of its last failure.
 */
import type { ActivityPage, ActivityQuery } from '../../activity/activity-log.ts';
import type { Delivery } from '../delivery.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

export interface FailedDependencies {
  readonly activity: { list(query: ActivityQuery): Promise<ActivityPage> };
  readonly deliveries: Pick<DeliveryStore, 'getMany'>;
}

interface FailedQuery {
  readonly clientId: string;
  /** Of the failures. */
  readonly since: Date;
  readonly until: Date;
  /** Entries to read. */
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** By default reads that may be a second old. */
  readonly consistent?: boolean | undefined;
}

interface Failure {
  /** The position after this failure. */
  readonly cursor: string;
  readonly failedAt: string;
  readonly delivery: Delivery;
}

interface FailurePage {
  readonly failures: readonly Failure[];
  readonly nextCursor?: string | undefined;
}

/** Each call of DynamoDB reads 200 entries of any kind, or `limit` if that is more. */
const readsMax = 5;

/** Every failure in the range whose delivery is kept, whatever its state is now; a page may be empty and have a cursor. */
export async function failuresOf(
  { activity, deliveries }: FailedDependencies,
  { clientId, since, until, limit, cursor, consistent = false }: FailedQuery,
): Promise<FailurePage> {
  const query = { clientId, kind: 'webhook_failed', since, until, limit, cursor, readsMax } as const;
  const { entries, nextCursor } = await activity.list(query);
  const ids = entries.flatMap(({ delivery_id }) => delivery_id ?? []);
  const rows = await deliveries.getMany(ids, { consistent });
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const failures = entries.flatMap(({ entry_id, at, delivery_id = '' }) => {
    const delivery = byId.get(delivery_id);
    if (delivery?.client_id !== clientId) return [];
    return [{ cursor: entry_id, failedAt: at, delivery }];
  });
  return { failures, nextCursor };
}

/** Whether it is failed now, and since this entry. */
export function isLastFailure({ delivery, failedAt }: Failure): boolean {
  return delivery.state === 'failed' && delivery.finished_at === failedAt;
}
