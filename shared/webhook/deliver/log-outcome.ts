/** One log line for each queue message of the delivery worker. */
import { log } from '../../platform/log.ts';
import type { Delivery, Lane } from '../delivery.ts';
import { originOf } from '../endpoint-health/endpoint-health.ts';
import type { DeliveryMessage } from '../schedule/delivery-queue.ts';
import type { Outcome } from './deliver-webhook.ts';

export function logOutcome(message: DeliveryMessage, lane: Lane, outcome: Outcome): void {
  log.info('webhook', {
    delivery_id: message.delivery_id,
    swept: message.swept,
    lane,
    outcome: outcome.kind,
    ...('delivery' in outcome ? logFieldsOf(outcome.delivery) : {}),
    ...('attempt' in outcome
      ? {
          attempt: outcome.attempt.number,
          trigger: outcome.attempt.trigger,
          lateness_ms: outcome.attempt.lateness_ms,
          total_ms: outcome.attempt.total_ms,
          status: outcome.attempt.status,
          error: outcome.attempt.error,
          next_due_at: outcome.attempt.next_due_at,
        }
      : {}),
  });
}

/** The identifiers that every log line about a delivery has. */
export function logFieldsOf(delivery: Delivery) {
  const { client_id, message_id, endpoint_id, event } = delivery;
  return { client_id, message_id, endpoint_id, event, origin: originOf(delivery.url) };
}
