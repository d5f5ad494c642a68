/**
 * Webhook delivery: a lane for healthy endpoints and one for slow endpoints, with the same code, so that endpoints that
 * time out do not delay others (shared/webhook/slow-endpoints). A worker that waits for an endpoint receives further
 * messages itself, which the permissions of its event source allow (shared/platform/process-queue-batch.ts). A sweep finds
 * deliveries that a queue or schedule lost.
 */
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type LoggedMetric, metricNamespace } from '../../../shared/contract/metrics.ts';
import { receivesMax, visibilitySeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { createDeliverWebhook } from './deliver-webhook.ts';
import { createSweepWebhooks } from './sweep-webhooks.ts';

/** A retry may be delayed in the queue for ten minutes. */
const oldSeconds = 1200;

export class Webhooks extends Construct {
  readonly fast: GatewayQueue;
  readonly slow: GatewayQueue;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage } = props;
    const common = { stage, oldSeconds, visibilitySeconds, maxReceives: receivesMax };
    this.fast = new GatewayQueue(this, 'Webhooks', common);
    this.slow = new GatewayQueue(this, 'SlowWebhooks', common);
    // A lane has no batching window, so ten messages are the most: with a window, and few messages, Lambda may wait for
    // up to 20 seconds, however short the window is (AWS Lambda, "Using Lambda with Amazon SQS"). Retries would be late,
    // and their messages visible again while they are processed.
    const deliver = createDeliverWebhook(this, 'DeliverWebhook', stage);
    measureFirstAttempts(this, deliver);
    this.fast.feed(deliver, { batchSize: 10, maxConcurrency: stage.concurrency.webhooks });
    // A worker that waits for hanging endpoints receives further messages itself.
    this.slow.feed(createDeliverWebhook(this, 'DeliverSlowWebhook', stage), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.slowWebhooks,
    });
    createSweepWebhooks(this, props);
    createAlarm(this, 'Failed', {
      stage,
      metric: countedMetric(stage, 'WebhookFailed'),
      meaning: 'A webhook failed after its last retry; its endpoint did not acknowledge it.',
      runbook: 'failed-webhooks',
    });
  }
}

/** Only of the fast lane: in the slow one webhooks wait for endpoints that take long, which is not the gateway's delay. */
function measureFirstAttempts(scope: Construct, deliver: GatewayFunction): void {
  new MetricFilter(scope, 'FirstAttemptTime', {
    logGroup: deliver.logGroup,
    metricNamespace,
    metricName: 'WebhookFirstAttemptTime' satisfies LoggedMetric,
    // CloudWatch has no percentiles of a metric with a negative value.
    filterPattern: FilterPattern.all(
      FilterPattern.numberValue('$.attempt', '=', 1),
      FilterPattern.numberValue('$.lateness_ms', '>=', 0),
    ),
    metricValue: '$.lateness_ms',
    dimensions: { service: '$.service' },
  });
}
