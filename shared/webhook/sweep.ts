/** Finds deliveries that no queue message brought back in time, and enqueues them: nothing hangs on SQS or Scheduler alone. */
import { type AgendaRun, type Looked, type LookedThrough, lookThrough } from '../agenda/look-through.ts';
import { readRows } from '../agenda/read-rows.ts';
import { addSeconds } from '../clock.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReader } from './delivery-reader.ts';
import { lookAgainAt, sweepPauseSeconds } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { enqueue } from './plan-deliveries.ts';
import type { DeliveryQueue } from './wake.ts';

export interface SweepPorts extends AgendaRun {
  readonly deliveries: Pick<DeliveryStore, 'get'> & DeliveryReader;
  readonly queue: DeliveryQueue;
}

export interface Swept extends LookedThrough {
  readonly enqueued: number;
}

/**
 * Puts each overdue delivery on its queue, then into a later entry of the agenda. A crash between the two costs a queue
 * message too many, which finds the delivery held or finished; the pause keeps a backlog in the queues from being made
 * longer every minute.
 */
export async function sweep(ports: SweepPorts): Promise<Swept> {
  let enqueued = 0;

  async function look(ids: readonly string[]): Promise<Looked> {
    const looked = new Map<string, Date | Error | undefined>();
    const overdue: Delivery[] = [];
    const now = ports.clock();
    for (const [id, delivery] of await readRows(ports.deliveries, ids, ({ delivery_id }) => delivery_id)) {
      const again = delivery instanceof Error ? delivery : lookAgainAt(delivery);
      if (!(delivery instanceof Error) && again instanceof Date && again <= now) {
        overdue.push(delivery);
        looked.set(id, addSeconds(now, sweepPauseSeconds));
      } else {
        looked.set(id, again);
      }
    }
    await enqueue(ports.queue, overdue, { swept: true });
    enqueued += overdue.length;
    return looked;
  }

  return { ...(await lookThrough(ports, 'deliveries', look)), enqueued };
}
