/**
 * Webhook delivery: a lane for healthy endpoints and one for slow endpoints, with the same code, so that endpoints that
 * time out do not delay others (shared/webhook/slow-endpoints). A worker that waits for an endpoint receives further
 * messages itself, which the permissions of its event source allow (shared/platform/process-queue-batch.ts). A sweep finds
 * deliveries that a queue or schedule lost.
 */
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { receivesMax, visibilitySeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { readFromLog } from '../../constructs/alarm.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { createDeliverWebhook } from './deliver-webhook.ts';
import { createSweepWebhooks } from './sweep-webhooks.ts';

export class Webhooks extends Construct {
  readonly fast: GatewayQueue;
  readonly slow: GatewayQueue;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage } = props;
    const common = { stage, visibilitySeconds, maxReceives: receivesMax };
    this.fast = new GatewayQueue(this, 'Webhooks', common);
    this.slow = new GatewayQueue(this, 'SlowWebhooks', common);
    // A lane has no batching window, so ten messages are the most: with a window, and few messages, Lambda may wait for
    // up to 20 seconds, however short the window is (AWS Lambda, "Using Lambda with Amazon SQS"). Retries would be late,
    // and their messages visible again while they are processed.
    const deliver = createDeliverWebhook(this, 'DeliverWebhook', stage);
    measureFirstAttempts(deliver);
    this.fast.feed(deliver, { batchSize: 10, maxConcurrency: stage.concurrency.webhooks });
    // A worker that waits for hanging endpoints receives further messages itself.
    this.slow.feed(createDeliverWebhook(this, 'DeliverSlowWebhook', stage), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.slowWebhooks,
    });
    createSweepWebhooks(this, props);
  }
}

/** Only of the fast lane: in the slow one webhooks wait for endpoints that take long, which is not the gateway's delay. */
function measureFirstAttempts(deliver: GatewayFunction): void {
  const isFirst = FilterPattern.numberValue('$.attempt', '=', 1);
  readFromLog(
    deliver,
    'WebhookFirstAttemptTime',
    // CloudWatch has no percentiles of a metric with a negative value.
    FilterPattern.all(isFirst, FilterPattern.numberValue('$.lateness_ms', '>=', 0)),
    '$.lateness_ms',
  );
  readFromLog(
    deliver,
    'WebhookFirstAttemptFailed',
    FilterPattern.all(isFirst, FilterPattern.stringValue('$.outcome', '!=', 'acknowledged')),
  );
}
