/**
 * An event with several destinations: the relay queues it as one message, in the group of its client, and a worker
 * creates a delivery for each destination. So the relay's work does not grow with a client's endpoints, and a client
 * with many endpoints waits only for its own webhooks.
 *
 * 1. adds the deliveries to the due-item index ─ crash → the queue shows the message again
 * 2. enqueues them ─ crash → the same: a delivery that is queued twice has one row and one attempt
 *
 * A row proves that all deliveries of its event are in the due-item index. The event itself has a due item too: if
 * none of its deliveries has a row, the queue lost the message, and the sweep queues the event again.
 */
import { RefusedEntries } from '../../platform/aws/permanent-fault.ts';
import type { FanOut } from '../delivery-queue.sqs.ts';
import {
  addAndEnqueue,
  deliveriesOf,
  type PlanDependencies,
  unpersistedDelivery,
} from '../plan-deliveries.ts';

/**
 * Enqueues the deliveries, and returns their number. Repeating the call is safe. @throws if some of them may not be
 * queued.
 */
export async function fanOut(
  dependencies: PlanDependencies & { readonly warn: (message: string, error: unknown) => void },
  event: FanOut,
): Promise<number> {
  const deliveries = deliveriesOf(event).map((planned) => unpersistedDelivery(dependencies, planned));
  try {
    await addAndEnqueue(dependencies, deliveries); // 1 and 2
  } catch (error) {
    // All others are in their queues; the sweep sets these aside.
    if (!(error instanceof RefusedEntries)) throw error;
    dependencies.warn('some webhooks of an event were refused by their queue', error);
  }
  return deliveries.length;
}
