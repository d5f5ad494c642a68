/**
 * Schedules the next attempt of a delivery: by an SQS delay, or by a one-shot schedule if the delay is too long for SQS.
 * The message of a schedule has no message group: it arrives early, and the worker sends another one, with the client as
 * group, for the rest of the delay.
 *
 * AWS stops a loop Lambda → SQS → Lambda after 16 invocations, unless the function may loop. A delivery's own loop is
 * shorter: the first attempt, three retries by SQS delay with at most one further delay each, and one move to the slow
 * lane, are 1 + 3 × 2 + 1 = 8, and with both schedules 12. But a worker sends the retries of messages that it received
 * itself as part of its own invocation's chain, so chains of different deliveries join, and the function may loop.
 */
import { slowLaneBatchWindowSeconds } from '../../contract/delivery-times.ts';
import { retryDelaysSeconds } from '../../contract/retry-delays.ts';
import type { ScheduleOnce } from '../../platform/aws/one-shot-schedule.scheduler.ts';
import { queueDelayMaxSeconds } from '../../platform/aws/queue-delay.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Delivery, Lane } from '../delivery.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

/** For less than this SQS is used: the time of a schedule could be past before it is stored. */
const scheduleAheadSeconds = 5;

type RetryPlan =
  | { readonly path: 'queue'; readonly delaySeconds: number }
  | { readonly path: 'schedule'; readonly at: Date; readonly name: string };

/**
 * Chooses queue or schedule. A delay of one or six hours uses a schedule, at any time scale. It fires early by
 * `scheduleLeadSeconds`, because a schedule may be that late; SQS delays the rest. An SQS delay is rounded down and the
 * worker waits for the fraction of a second, so that the attempt is neither early nor a second late.
 */
function planRetry(delivery: Delivery, now: Date, scheduleLeadSeconds: number): RetryPlan {
  const dueAt = new Date(delivery.attempt_due_at);
  const remainingSeconds = Math.max(0, (dueAt.getTime() - now.getTime()) / 1000);
  if (
    (isLongDelay(delivery) && remainingSeconds > scheduleLeadSeconds + scheduleAheadSeconds) ||
    remainingSeconds > queueDelayMaxSeconds
  ) {
    // Schedules have whole seconds.
    const at = new Date(Math.ceil(addSeconds(dueAt, -scheduleLeadSeconds).getTime() / 1000) * 1000);
    return { path: 'schedule', at, name: `${delivery.delivery_id}-${delivery.attempt_number}` };
  }
  // Lambda may hold it that long to fill a batch, so it is sent that much earlier.
  const batchWindowSeconds = delivery.lane === 'slow' ? slowLaneBatchWindowSeconds : 0;
  return { path: 'queue', delaySeconds: Math.max(0, Math.floor(remainingSeconds - batchWindowSeconds)) };
}

export interface RetryScheduler {
  /** Sends a queue message for the delivery at its due time. Repeating the call is safe. */
  schedule(delivery: Delivery, now: Date): Promise<void>;
}

export function makeRetryScheduler(
  queue: DeliveryQueue,
  scheduleOnce: ScheduleOnce<Lane>,
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
        await scheduleOnce({ name: plan.name, at: plan.at, queue: delivery.lane, message });
      }
    },
  };
}

/** Whether the unscaled delay before this attempt is too long for an SQS delay. */
function isLongDelay(delivery: Delivery): boolean {
  const unscaledDelay = retryDelaysSeconds[delivery.attempt_number - 2];
  return (
    delivery.attempt_trigger === 'automatic' &&
    unscaledDelay !== undefined &&
    unscaledDelay > queueDelayMaxSeconds
  );
}
