/** Reports a failed delivery: an ERROR line, and one count of the metric `WebhookFailed`, which an alarm watches. */
import { log } from '../../platform/log.ts';
import { countMetric } from '../../platform/metrics.ts';
import type { Delivery } from '../delivery.ts';
import { logFieldsOf } from './log-outcome.ts';

export function reportFailedDelivery(delivery: Delivery): void {
  log.error('webhook failed', {
    delivery_id: delivery.delivery_id,
    ...logFieldsOf(delivery),
    attempts: delivery.attempt_number,
    error: delivery.attempts.at(-1)?.error,
  });
  countMetric('WebhookFailed');
}
