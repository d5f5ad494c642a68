/** Schedules the attempt of a delivery that a person resends: it is due at once, so it needs no schedule. */
import { enqueue } from '../plan/plan-deliveries.ts';
import type { DeliveryQueue } from '../schedule/delivery-queue.ts';
import type { RetryScheduler } from '../schedule/retry-scheduler.ts';

export function immediateScheduler(queue: DeliveryQueue): RetryScheduler {
  return {
    schedule: (delivery) => enqueue(queue, [{ delivery, message: { delivery_id: delivery.delivery_id } }]),
  };
}
