/** The log lines of the webhook engine: each attempt in one line, each delivery that failed for good as an ERROR. */
import { log } from '../../platform/log.ts';
import { countMetric } from '../../platform/metrics.ts';
import type { Delivery, Lane } from '../delivery.ts';
import type { DeliveryMessage } from '../schedule/retry-scheduler.ts';
import type { Outcome } from './deliver-webhook.ts';

export function logOutcome(message: DeliveryMessage, lane: Lane, outcome: Outcome): void {
  log.info('webhook', {
    delivery_id: message.delivery_id,
    swept: message.swept,
    lane,
    outcome: outcome.kind,
    ...('delivery' in outcome ? idsOf(outcome.delivery) : {}),
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

/** Watched by an alarm on the metric. */
export function reportFailedDelivery(delivery: Delivery): void {
  log.error('webhook failed', {
    delivery_id: delivery.delivery_id,
    ...idsOf(delivery),
    attempts: delivery.attempt_number,
    error: delivery.attempts.at(-1)?.error,
  });
  countMetric('WebhookFailed');
}

function idsOf(delivery: Delivery) {
  const { client_id, message_id, event } = delivery;
  return { client_id, message_id, event, origin: URL.parse(delivery.url)?.origin };
}
