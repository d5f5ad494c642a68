/**
 * Finds deliveries that no queue message brought back in time, and enqueues them: nothing hangs on SQS or Scheduler
 * alone. One that no worker has made a row of is planned anew, from its message.
 */
import {
  type DueItemRun,
  type NextReview,
  type ProcessedDueItems,
  processDueItems,
  type ReviewResult,
} from '../../due-items/process-due-items.ts';
import { errorOf, readRows } from '../../due-items/read-rows.ts';
import type { MessageStore } from '../../message/store/message-store.ts';
import { isolateRefused } from '../../platform/aws/permanent-fault.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { SetAside } from '../../set-aside/set-aside.ts';
import type { Delivery } from '../delivery.ts';
import { nextReviewAt, sweepPauseSeconds } from '../delivery-transitions.ts';
import { type DeliveryEvent, deliveryEventOf, deliveryIdOf } from '../plan/delivery-due-item.ts';
import {
  type Enqueued,
  enqueue,
  planDeliveries,
  type UnpersistedDeliveryDependencies,
  unpersistedDelivery,
  unpersistedDeliveryMessage,
} from '../plan/plan-deliveries.ts';
import type { DeliveryQueue } from '../schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

interface SweepDependencies extends DueItemRun, UnpersistedDeliveryDependencies {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'getMany'>;
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

interface Swept extends ProcessedDueItems {
  readonly enqueued: number;
  /** Refused by their queue for good. */
  readonly refused: number;
}

/**
 * Puts each overdue delivery on its queue, then into a later entry of the agenda. A crash between the two costs a queue
 * message too many, which finds the delivery held or finished; the pause keeps a backlog in the queues from being made
 * longer every minute.
 */
export async function sweep(dependencies: SweepDependencies): Promise<Swept> {
  let enqueued = 0;
  let refused = 0;

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const owed = new Map(ids.map((id) => [deliveryIdOf(deliveryEventOf(id)), id]));
    const rows = await readRows(dependencies.deliveries, [...owed.keys()], ({ delivery_id }) => delivery_id);
    const now = dependencies.clock();
    const overdue: (Overdue & { readonly id: string })[] = [];
    const reviewed = await Promise.all(
      Array.from(owed, async ([deliveryId, id]): Promise<[string, NextReview | Error]> => {
        const row = rows.get(deliveryId);
        if (row instanceof Error) return [id, row];
        const found =
          row === undefined
            ? await rebuildLostDelivery(dependencies, deliveryEventOf(id)).catch(errorOf)
            : overdueRow(row, now);
        // Whose message cannot be read holds up none of the others.
        if (found instanceof Error) return [id, found];
        if (found === undefined) return [id, row && nextReviewAt(row)];
        overdue.push({ ...found, id });
        return [id, addSeconds(now, sweepPauseSeconds)];
      }),
    );
    const lookedAt = new Map(reviewed);
    await isolateRefused(
      overdue,
      async (some) => {
        await enqueue(dependencies.queue, some);
        enqueued += some.length;
      },
      async ({ delivery, happenedAt, id }, error) => {
        refused += 1;
        await dependencies.setAside({
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

  return { ...(await processDueItems(dependencies, 'deliveries', review)), enqueued, refused };
}

function overdueRow(delivery: Delivery, now: Date): Overdue | undefined {
  const at = nextReviewAt(delivery);
  if (at === undefined || at > now) return undefined;
  const happenedAt = new Date(delivery.created_at);
  return { delivery, message: { delivery_id: delivery.delivery_id, swept: true }, happenedAt };
}

/** A delivery whose queue message was lost before any worker took it; none where it is owed no longer. */
async function rebuildLostDelivery(
  dependencies: SweepDependencies,
  { messageId, event }: DeliveryEvent,
): Promise<Overdue | undefined> {
  const message = await dependencies.messages.get(messageId);
  if (message === undefined) return undefined;
  const accountUrl =
    message.webhook_url === undefined ? await dependencies.accountUrlOf(message.client_id) : undefined;
  const owed = planDeliveries({ before: undefined, after: message, accountUrl });
  const planned = owed.find((plan) => plan.event === event);
  if (planned === undefined) return undefined;
  const delivery = await unpersistedDelivery(dependencies, planned);
  const happenedAt = new Date(planned.happenedAt);
  return { delivery, message: { ...unpersistedDeliveryMessage(delivery), swept: true }, happenedAt };
}
