/**
 * How a delivery is brought back at its time: by an SQS delay, or by a schedule where a delay cannot reach.
 *
 * AWS stops a chain Lambda → SQS → Lambda after 16 invocations. Ours ends sooner: the first attempt, three legs by
 * SQS delay with at most one further delay each, and one hop into the slow lane, are 1 + 3 × 2 + 1 = 8. A leg by
 * schedule starts from EventBridge, which passes no trace of the chain on; it adds one early wake and one delay.
 * Even if it were counted in, two of those make 8 + 2 × 2 = 12. The sweep starts chains of its own.
 */
import * as z from 'zod/mini';
import { retryDelaysSeconds } from '../../contract/retry-delays.ts';
import { queueDelayMaxSeconds } from '../../platform/aws/queue-delay.ts';
import { addSeconds } from '../../platform/clock.ts';
import { type Delivery, deliverySchema, type Lane } from '../delivery.ts';

/** A schedule closer than this is left to SQS: it could be past before it is stored. */
const scheduleAheadSeconds = 5;
/** What a message of the slow lane may wait for others to fill its batch: its wake comes so much early. */
export const slowLaneBatchWindowSeconds = 1;

type RetryPlan =
  | { readonly path: 'queue'; readonly delaySeconds: number }
  | { readonly path: 'schedule'; readonly at: Date; readonly name: string };

/**
 * The road of this wake. A leg of one or six hours, whatever the scale it runs at, goes by a schedule aimed early by
 * what a scheduler may be late; its wake finds the rest short enough for SQS. A delay is rounded down and the
 * last part of a second waited out by the worker, so that it comes neither early nor a second late.
 */
function planRetry(delivery: Delivery, now: Date, scheduleLeadSeconds: number): RetryPlan {
  const dueAt = new Date(delivery.attempt_due_at);
  const remainingSeconds = Math.max(0, (dueAt.getTime() - now.getTime()) / 1000);
  if (
    (isLongDelay(delivery) && remainingSeconds > scheduleLeadSeconds + scheduleAheadSeconds) ||
    remainingSeconds > queueDelayMaxSeconds
  ) {
    // Schedules count in whole seconds.
    const at = new Date(Math.ceil(addSeconds(dueAt, -scheduleLeadSeconds).getTime() / 1000) * 1000);
    return { path: 'schedule', at, name: `${delivery.delivery_id}-${delivery.attempt_number}` };
  }
  const batchWindowSeconds = delivery.lane === 'slow' ? slowLaneBatchWindowSeconds : 0;
  return { path: 'queue', delaySeconds: Math.max(0, Math.floor(remainingSeconds - batchWindowSeconds)) };
}

/**
 * What a queue message says: the row says everything else. A delivery of which there is no row yet comes with the
 * message. `swept` tells that the sweep found it.
 */
export const deliveryMessageSchema = z.object({
  delivery_id: z.string().check(z.minLength(1)),
  delivery: z.optional(deliverySchema),
  swept: z.optional(z.boolean()),
});
export type DeliveryMessage = Readonly<z.output<typeof deliveryMessageSchema>>;

/** A delivery to look at, in its client's fair share of the queue. */
export interface DeliveryEntry {
  readonly clientId: string;
  readonly message: DeliveryMessage;
  /** Whole seconds, at most 900, before the queue shows it. */
  readonly delaySeconds: number;
}

export interface DeliveryQueue {
  /** @throws when any of the entries is not surely in the queue. */
  send(lane: Lane, entries: readonly DeliveryEntry[]): Promise<void>;
}

export interface DeliveryScheduler {
  /** A one-shot schedule that puts the message on the lane's queue; one of that name already is success. */
  schedule(name: string, at: Date, lane: Lane, message: DeliveryMessage): Promise<void>;
}

export interface RetryScheduler {
  /** Sees to it that the delivery is looked at by its due time. Repeating it does no harm. */
  schedule(delivery: Delivery, now: Date): Promise<void>;
}

export function makeRetryScheduler(
  queue: DeliveryQueue,
  scheduler: DeliveryScheduler,
  scheduleLeadSeconds: number,
): RetryScheduler {
  return {
    async schedule(delivery, now) {
      const plan = planRetry(delivery, now, scheduleLeadSeconds);
      const message = { delivery_id: delivery.delivery_id };
      if (plan.path === 'queue') {
        const { client_id: clientId, lane } = delivery;
        await queue.send(lane, [{ clientId, message, delaySeconds: plan.delaySeconds }]);
      } else {
        await scheduler.schedule(plan.name, plan.at, delivery.lane, message);
      }
    },
  };
}

/** Whether the leg before the present attempt is, at its true length, beyond what an SQS delay can hold. */
function isLongDelay(delivery: Delivery): boolean {
  const trueDelay = retryDelaysSeconds[delivery.attempt_number - 2];
  return (
    delivery.attempt_trigger === 'automatic' && trueDelay !== undefined && trueDelay > queueDelayMaxSeconds
  );
}
