/**
 * Finds overdue deliveries and enqueues them, so that a message lost by SQS or EventBridge Scheduler loses no
 * delivery. Also enqueues retries that may have no schedule, minutes ahead. Rebuilds a delivery without a row from
 * its message, and an event with several destinations if none of them has a delivery. Disables endpoints that have
 * acknowledged nothing for days.
 */

import type { MessageStore } from '../message/store/message-store.ts';
import { isolateRefused, isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { addSeconds } from '../platform/clock.ts';
import { readOnce } from '../platform/expiring-cache.ts';
import {
  type DueItemRun,
  errorOf,
  type NextReview,
  processDueItems,
  type ReviewResult,
  readRows,
} from '../recovery/process-due-items.ts';
import type { SetAside } from '../recovery/set-aside.sqs.ts';
import { type DisableDependencies, disableIfFailing, isEndpointDueItem } from './deliver/disable-endpoint.ts';
import {
  type Delivery,
  deliveryEventOf,
  deliveryIdOf,
  deliveryIdOfDueItem,
  nextReviewAt,
} from './delivery.ts';
import { delayOfNearRetry, type Enqueued, enqueue, type FanOut } from './delivery-queue.sqs.ts';
import type { DeliveryStore } from './delivery-store.dynamo.ts';
import {
  deliveriesOf,
  enqueueFanOuts,
  eventsOf,
  type PlanDependencies,
  planDeliveries,
  planEvents,
  unpersistedDelivery,
} from './plan-deliveries.ts';
import { asOf, type PlannedEndpoint } from './webhook-endpoint.ts';

interface SweepDependencies extends DueItemRun, DisableDependencies, PlanDependencies {
  readonly deliveries: Pick<DeliveryStore, 'get' | 'getMany' | 'create'>;
  readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly setAside: SetAside;
}

/** How long the sweep waits at least, and at most, before it enqueues the same delivery again. */
const sweepPauseSeconds = 300;
const sweepPauseMaxSeconds = 3600;
/** A delivery that its queue refuses permanently is tried again at this interval, for this time. */
const refusedPauseSeconds = 3600;
const refusedForSeconds = 86_400;

interface Overdue extends Enqueued {
  readonly happenedAt: Date;
  readonly reviewAt: Date;
}

/**
 * Enqueues each overdue delivery, then adds it to the due-item index for a later time. A crash between the two causes
 * a second queue message, which finds the delivery held or finished. The pauses become longer, so that waiting
 * deliveries do not make a long queue much longer.
 */
export async function sweep(dependencies: SweepDependencies) {
  let enqueued = 0;
  let refused = 0;

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const { endpoints = [], deliveries = [] } = Object.groupBy(ids, (id) =>
      isEndpointDueItem(id) ? 'endpoints' : 'deliveries',
    );
    const reviews = await reviewDeliveries(deliveries);
    const failures = await Promise.all(
      endpoints.map(async (id) => [id, await disableIfFailing(dependencies, id).catch(errorOf)] as const),
    );
    return new Map([...reviews, ...failures.map(([id, failure]) => [id, failure || undefined] as const)]);
  }

  async function reviewDeliveries(ids: readonly string[]): Promise<ReviewResult> {
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
        return [id, found.reviewAt];
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

  const [swept, events] = await Promise.all([
    processDueItems(dependencies, 'deliveries', review),
    processDueItems(dependencies, 'fan-outs', (ids) => reviewFanOuts(dependencies, ids)),
  ]);
  return {
    cutShort: swept.cutShort || events.cutShort,
    failures: [...swept.failures, ...events.failures],
    enqueued,
    refused,
  };
}

/**
 * Enqueues each event without any delivery row. If one delivery has a row, all deliveries of the event have their own
 * due items (deliver/fan-out.ts).
 */
async function reviewFanOuts(dependencies: SweepDependencies, ids: readonly string[]): Promise<ReviewResult> {
  const { deliveries, clock } = dependencies;
  const reviews = new Map<string, NextReview | Error>();
  const planned = await planDueEvents(dependencies, ids, (id, error) => reviews.set(id, error));
  const firsts = [...planned.values()].map(({ first }) => first);
  const withRow = await existingOf(deliveries, firsts);
  const lost: FanOut[] = [];
  await Promise.all(
    Array.from(planned, async ([id, { event, first, others }]) => {
      if (withRow.has(first) || (await existingOf(deliveries, others)).size > 0) return;
      lost.push(event);
      reviews.set(id, sweptAgainAt(new Date(event.happened_at), clock()));
    }),
  );
  try {
    await enqueueFanOuts(dependencies, lost);
  } catch (error) {
    // All others are in their queues. The refused ones have due items, whose review sets them aside.
    if (!isPermanentFault(error)) throw error;
  }
  return reviews;
}

interface PlannedEvent {
  readonly event: FanOut;
  readonly first: string;
  readonly others: readonly string[];
}

/** Returns the events of these due items that have a destination, by the ids of the items. */
async function planDueEvents(
  dependencies: SweepDependencies,
  ids: readonly string[],
  failed: (id: string, error: Error) => void,
): Promise<ReadonlyMap<string, PlannedEvent>> {
  const accountUrlOf = readOnce(dependencies.accountUrlOf);
  const endpointsOf = readOnce(dependencies.endpoints.listPlanned);
  const messageIds = new Set(ids.flatMap((id) => deliveryEventOf(id)?.messageId ?? []));
  const rows = await readRows(dependencies.messages, [...messageIds], ({ message_id }) => message_id);

  async function planOf(id: string): Promise<PlannedEvent | undefined> {
    const due = deliveryEventOf(id);
    const message = rows.get(due?.messageId ?? '');
    if (message === undefined) return undefined;
    if (message instanceof Error) throw message;
    const { client_id, webhook_url } = message;
    const accountUrl = webhook_url === undefined ? await accountUrlOf(client_id) : undefined;
    const happened = eventsOf(message).find(({ event }) => event === due?.event);
    if (happened === undefined) return undefined;
    // A change of an endpoint counts from the next event on.
    const endpoints = (await endpointsOf(client_id)).map((endpoint) => asOf(endpoint, happened.happenedAt));
    const events = planEvents({ before: undefined, after: message, accountUrl, endpoints });
    const event = events.find((planned) => planned.event === happened.event);
    if (event === undefined) return undefined;
    const [first, ...others] = deliveriesOf(event).map(({ delivery_id }) => delivery_id);
    return first === undefined ? undefined : { event, first, others };
  }

  const plans = await Promise.all(
    ids.map(async (id): Promise<[string, PlannedEvent][]> => {
      try {
        const plan = await planOf(id);
        return plan === undefined ? [] : [[id, plan]];
      } catch (error) {
        failed(id, errorOf(error));
        return [];
      }
    }),
  );
  return new Map(plans.flat());
}

async function existingOf(
  deliveries: SweepDependencies['deliveries'],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await deliveries.getMany(ids, { consistent: false });
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

function overdueRow(delivery: Delivery, now: Date): Overdue | undefined {
  const at = nextReviewAt(delivery);
  if (at === undefined) return undefined;
  const { delivery_id } = delivery;
  const happenedAt = new Date(delivery.created_at);
  const delaySeconds = delayOfNearRetry(delivery, now);
  if (delaySeconds !== undefined) {
    return { delivery, message: { delivery_id }, delaySeconds, happenedAt, reviewAt: at };
  }
  if (at > now) return undefined;
  const reviewAt = sweptAgainAt(new Date(delivery.attempt_due_at), now);
  return { delivery, message: { delivery_id, swept: true }, happenedAt, reviewAt };
}

/**
 * Rebuilds a delivery whose queue message was lost before a worker claimed it. Returns undefined if there is nothing
 * to deliver. The due item proves that the endpoint was enabled, and its filter matched, when the event happened. So
 * neither is checked again, and the worker records if the endpoint is disabled now.
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
  const all = lost.endpointId === undefined ? [] : await dependencies.endpoints.listPlanned(client_id);
  const endpoints = all.filter(({ endpoint_id }) => endpoint_id === lost.endpointId).map(receivingAll);
  const plans = planDeliveries({ before: undefined, after: message, accountUrl, endpoints });
  const planned = plans.find((plan) => plan.delivery_id === deliveryIdOf(lost));
  if (planned === undefined) return undefined;
  const delivery = unpersistedDelivery(dependencies, planned);
  const happenedAt = new Date(planned.happenedAt);
  const reviewAt = sweptAgainAt(happenedAt, dependencies.clock());
  const { delivery_id } = delivery;
  return { delivery, message: { delivery_id, delivery, swept: true }, happenedAt, reviewAt };
}

function receivingAll(endpoint: PlannedEndpoint): PlannedEndpoint {
  return { ...endpoint, enabled: true, events: undefined };
}

/**
 * Returns when the sweep enqueues a delivery again: after as long as it has already waited, so that waiting
 * deliveries get few further messages in a long queue.
 */
function sweptAgainAt(dueAt: Date, now: Date): Date {
  const waitedSeconds = (now.getTime() - dueAt.getTime()) / 1000;
  return addSeconds(now, Math.min(sweepPauseMaxSeconds, Math.max(sweepPauseSeconds, waitedSeconds)));
}
