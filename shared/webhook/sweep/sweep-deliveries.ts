/**
 * Finds overdue deliveries and enqueues them, so that a message lost by SQS or EventBridge Scheduler loses no delivery.
 * A delivery without a row is rebuilt from its message.
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
import type { EndpointReader } from '../endpoints/endpoint-store.ts';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.ts';
import { deliveryEventOf, deliveryIdOf, deliveryIdOfDueItem } from '../plan/delivery-due-item.ts';
import {
  type Enqueued,
  enqueue,
  planDeliveries,
  type UnpersistedDeliveryDependencies,
  unpersistedDelivery,
  unpersistedDeliveryMessage,
} from '../plan/plan-deliveries.ts';
import type { DeliveryQueue } from '../schedule/delivery-queue.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

interface SweepDependencies extends DueItemRun, UnpersistedDeliveryDependencies {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'getMany'>;
  readonly messages: Pick<MessageStore, 'get'>;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly endpoints: Pick<EndpointReader, 'get'>;
  readonly queue: DeliveryQueue;
  readonly setAside: SetAside;
}

/** A delivery that its queue refuses permanently is tried again at this interval, for this time. */
const refusedPauseSeconds = 3600;
const refusedForSeconds = 86_400;

interface Overdue extends Enqueued {
  readonly happenedAt: Date;
}

interface Swept extends ProcessedDueItems {
  readonly enqueued: number;
  /** Refused permanently by their queue. */
  readonly refused: number;
}

/**
 * Enqueues each overdue delivery, then adds it to the due-item index for a later time. A crash between the two causes a
 * second queue message, which finds the delivery held or finished. The pause prevents a backlog in the queues from
 * growing every minute.
 */
export async function sweep(dependencies: SweepDependencies): Promise<Swept> {
  let enqueued = 0;
  let refused = 0;

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const dueItemIds = new Map(ids.map((id) => [deliveryIdOfDueItem(id), id]));
    const rows = await readRows(
      dependencies.deliveries,
      [...dueItemIds.keys()],
      ({ delivery_id }) => delivery_id,
    );
    const now = dependencies.clock();
    const overdue: (Overdue & { readonly id: string })[] = [];
    const reviewed = await Promise.all(
      Array.from(dueItemIds, async ([deliveryId, id]): Promise<[string, NextReview | Error]> => {
        const row = rows.get(deliveryId);
        if (row instanceof Error) return [id, row];
        const found =
          row === undefined
            ? await rebuildLostDelivery(dependencies, id).catch(errorOf)
            : overdueRow(row, now);
        // An unreadable message delays no other delivery.
        if (found instanceof Error) return [id, found];
        if (found === undefined) return [id, row && nextReviewAt(row)];
        overdue.push({ ...found, id });
        return [id, addSeconds(now, sweepPauseSeconds)];
      }),
    );
    const reviews = new Map(reviewed);
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
        reviews.set(id, givenUp ? undefined : addSeconds(now, refusedPauseSeconds));
      },
    );
    return reviews;
  }

  return { ...(await processDueItems(dependencies, 'deliveries', review)), enqueued, refused };
}

function overdueRow(delivery: Delivery, now: Date): Overdue | undefined {
  const at = nextReviewAt(delivery);
  if (at === undefined || at > now) return undefined;
  const happenedAt = new Date(delivery.created_at);
  return { delivery, message: { delivery_id: delivery.delivery_id, swept: true }, happenedAt };
}

/**
 * A delivery whose queue message was lost before a worker claimed it; undefined if there is nothing to deliver. Its due
 * item shows that the endpoint's filter matched when the event happened, so the filter is not applied again.
 */
async function rebuildLostDelivery(
  dependencies: SweepDependencies,
  dueItemId: string,
): Promise<Overdue | undefined> {
  const lost = deliveryEventOf(dueItemId);
  const message = lost && (await dependencies.messages.get(lost.messageId));
  if (lost === undefined || message === undefined) return undefined;
  const { client_id, webhook_url } = message;
  const isOwnUrl = lost.endpointId === undefined;
  const accountUrl =
    isOwnUrl && webhook_url === undefined ? await dependencies.accountUrlOf(client_id) : undefined;
  const endpoint =
    lost.endpointId === undefined ? undefined : await dependencies.endpoints.get(client_id, lost.endpointId);
  const endpoints = endpoint === undefined ? [] : [withoutFilter(endpoint)];
  const plans = planDeliveries({ before: undefined, after: message, accountUrl, endpoints });
  const planned = plans.find((plan) => plan.delivery_id === deliveryIdOf(lost));
  if (planned === undefined) return undefined;
  const delivery = await unpersistedDelivery(dependencies, planned);
  const happenedAt = new Date(planned.happenedAt);
  return { delivery, message: { ...unpersistedDeliveryMessage(delivery), swept: true }, happenedAt };
}

function withoutFilter({ events: _events, ...endpoint }: WebhookEndpoint): WebhookEndpoint {
  return endpoint;
}
