/**
 * Finds deliveries that no queue message brought back in time, and enqueues them: nothing hangs on SQS or Scheduler
 * alone. One that no worker has made a row of is planned anew, from its message.
 */
import {
  type AgendaRun,
  type LookAgain,
  type Looked,
  type LookedThrough,
  lookThrough,
} from '../agenda/look-through.ts';
import { errorOf, readRows } from '../agenda/read-rows.ts';
import { addSeconds } from '../clock.ts';
import { isolateRefused } from '../lasting-fault.ts';
import type { MessageStore } from '../message/message-store.ts';
import type { SetAside } from '../set-aside/set-aside.ts';
import { deliveryIdOf, type OwedEvent, owedEventOf } from './appointment.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReader } from './delivery-reader.ts';
import { lookAgainAt, sweepPauseSeconds } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import {
  type Enqueued,
  enqueue,
  type NewbornPorts,
  newborn,
  newbornMessage,
  planDeliveries,
} from './plan-deliveries.ts';
import type { DeliveryQueue } from './wake.ts';

interface SweepPorts extends AgendaRun, NewbornPorts {
  readonly deliveries: Pick<DeliveryStore, 'get'> & DeliveryReader;
  readonly messages: Pick<MessageStore, 'get'>;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly queue: DeliveryQueue;
  readonly setAside: SetAside;
}

/** One that its queue refuses for good is tried this often, for so long: time to mend what is wrong. */
const refusedPauseSeconds = 3600;
const refusedForSeconds = 86_400;

interface Overdue extends Enqueued {
  readonly happenedAt: Date;
}

interface Swept extends LookedThrough {
  readonly enqueued: number;
  /** Refused by their queue for good. */
  readonly refused: number;
}

/**
 * Puts each overdue delivery on its queue, then into a later entry of the agenda. A crash between the two costs a queue
 * message too many, which finds the delivery held or finished; the pause keeps a backlog in the queues from being made
 * longer every minute.
 */
export async function sweep(ports: SweepPorts): Promise<Swept> {
  let enqueued = 0;
  let refused = 0;

  async function look(ids: readonly string[]): Promise<Looked> {
    const owed = new Map(ids.map((id) => [deliveryIdOf(owedEventOf(id)), id]));
    const rows = await readRows(ports.deliveries, [...owed.keys()], ({ delivery_id }) => delivery_id);
    const now = ports.clock();
    const overdue: (Overdue & { readonly id: string })[] = [];
    const looked = await Promise.all(
      Array.from(owed, async ([deliveryId, id]): Promise<[string, LookAgain | Error]> => {
        const row = rows.get(deliveryId);
        if (row instanceof Error) return [id, row];
        const found =
          row === undefined ? await unborn(ports, owedEventOf(id)).catch(errorOf) : overdueRow(row, now);
        // Whose message cannot be read holds up none of the others.
        if (found instanceof Error) return [id, found];
        if (found === undefined) return [id, row && lookAgainAt(row)];
        overdue.push({ ...found, id });
        return [id, addSeconds(now, sweepPauseSeconds)];
      }),
    );
    const lookedAt = new Map(looked);
    await isolateRefused(
      overdue,
      async (some) => {
        await enqueue(ports.queue, some);
        enqueued += some.length;
      },
      async ({ delivery, happenedAt, id }, error) => {
        refused += 1;
        await ports.setAside({
          summary: `The webhook ${delivery.event} was refused by its queue`,
          clientId: delivery.client_id,
          messageId: delivery.message_id,
          deliveryId: delivery.delivery_id,
          since: happenedAt,
          error,
        });
        const givenUp = now > addSeconds(happenedAt, refusedForSeconds);
        lookedAt.set(id, givenUp ? undefined : addSeconds(now, refusedPauseSeconds));
      },
    );
    return lookedAt;
  }

  return { ...(await lookThrough(ports, 'deliveries', look)), enqueued, refused };
}

function overdueRow(delivery: Delivery, now: Date): Overdue | undefined {
  const at = lookAgainAt(delivery);
  if (at === undefined || at > now) return undefined;
  const happenedAt = new Date(delivery.created_at);
  return { delivery, message: { delivery_id: delivery.delivery_id, swept: true }, happenedAt };
}

/** A delivery whose queue message was lost before any worker took it; none where it is owed no longer. */
async function unborn(ports: SweepPorts, { messageId, event }: OwedEvent): Promise<Overdue | undefined> {
  const message = await ports.messages.get(messageId);
  if (message === undefined) return undefined;
  const accountUrl =
    message.webhook_url === undefined ? await ports.accountUrlOf(message.client_id) : undefined;
  const owed = planDeliveries({ before: undefined, after: message, accountUrl });
  const planned = owed.find((plan) => plan.event === event);
  if (planned === undefined) return undefined;
  const delivery = await newborn(ports, planned);
  const happenedAt = new Date(planned.happenedAt);
  return { delivery, message: { ...newbornMessage(delivery), swept: true }, happenedAt };
}
