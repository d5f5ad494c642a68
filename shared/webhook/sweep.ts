/** Finds deliveries that no queue message brought back in time, and enqueues them: nothing hangs on SQS or Scheduler alone. */
import type { Clock } from '../clock.ts';
import { dueShards } from './delivery.ts';
import { sweepPaused } from './delivery-steps.ts';
import type { DeliveryStore, OverdueDelivery } from './delivery-store.ts';
import type { DeliveryQueue } from './wake.ts';

export interface SweepPorts {
  readonly deliveries: DeliveryStore;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  readonly newRevision: () => string;
}

export interface Swept {
  readonly enqueued: number;
  readonly failures: readonly unknown[];
}

/** What one run takes from each shard; the next run, a minute later, takes more. */
const perShardMax = 500;
const parallelMax = 20;

/**
 * Puts each overdue delivery off in the index, then on its queue. In this order a crash between the two costs a
 * pause of minutes, never the delivery; and a backlog in the queues is not made longer every minute.
 *
 * One that fails stops none of the others.
 */
export async function sweep(ports: SweepPorts): Promise<Swept> {
  const shards = Array.from({ length: dueShards }, (_, shard) =>
    ports.deliveries.findOverdue(shard, ports.clock(), perShardMax),
  );
  const overdue = (await Promise.all(shards)).flat();
  let enqueued = 0;
  const failures: unknown[] = [];
  const take = async () => {
    for (let row = overdue.pop(); row !== undefined; row = overdue.pop()) {
      try {
        if (await enqueueAgain(ports, row)) enqueued += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: parallelMax }, take));
  return { enqueued, failures };
}

async function enqueueAgain(ports: SweepPorts, row: OverdueDelivery): Promise<boolean> {
  const now = ports.clock();
  const seen = await ports.deliveries.get(row.deliveryId);
  // The index is a moment behind the table: the row itself decides.
  if (seen?.due_at === undefined || new Date(seen.due_at) > now) return false;
  if (!(await ports.deliveries.replace(seen, sweepPaused(seen, now, ports.newRevision())))) return false;
  await ports.queue.send(seen.lane, seen.client_id, { delivery_id: seen.delivery_id, swept: true }, 0);
  return true;
}
