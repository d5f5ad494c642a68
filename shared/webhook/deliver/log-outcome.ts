/** The log lines of the delivery worker: one for each queue message, and one for each delivery that failed. */
import { log } from '../../platform/log.ts';
import { countMetric } from '../../platform/metrics.ts';
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
function logFieldsOf(delivery: Delivery) {
  const { client_id, message_id, endpoint_id, event } = delivery;
  return { client_id, message_id, endpoint_id, event, origin: originOf(delivery.url) };
}

/** An ERROR line, and one count of the metric `WebhookFailed`, which an alarm watches. */
export function reportFailedDelivery(delivery: Delivery): void {
  log.error('webhook failed', {
    delivery_id: delivery.delivery_id,
    ...logFieldsOf(delivery),
    attempts: delivery.attempt_number,
    error: delivery.attempts.at(-1)?.error,
  });
  countMetric('WebhookFailed');
}
