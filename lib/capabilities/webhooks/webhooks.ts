/**
 * Webhook delivery. Healthy and slow endpoints have separate lanes with the same code, so that endpoints that time out do not
 * delay others (shared/webhook/slow-endpoints). A worker that waits for an endpoint receives further messages itself, with the
 * permissions of its event source (shared/platform/process-queue-batch.ts). A sweep finds deliveries that a queue or schedule
 * lost.
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
    // A lane has no batching window, so a batch has at most ten messages. With a window and few messages, Lambda may wait for up
    // to 20 seconds, however short the window is (AWS Lambda, "Using Lambda with Amazon SQS"). Retries would be late, and
    // messages would become visible again during their processing.
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

/**
 * Measures the delay of first attempts, in the fast lane only. In the slow lane, webhooks wait for slow endpoints, which is not
 * a delay of the gateway.
 */
function measureFirstAttempts(deliver: GatewayFunction): void {
  const isFirst = FilterPattern.numberValue('$.attempt', '=', 1);
  readFromLog(
    deliver,
    'WebhookFirstAttemptTime',
    // CloudWatch computes no percentiles if a value is negative.
    FilterPattern.all(isFirst, FilterPattern.numberValue('$.lateness_ms', '>=', 0)),
    '$.lateness_ms',
  );
  readFromLog(
    deliver,
    'WebhookFirstAttemptFailed',
    FilterPattern.all(isFirst, FilterPattern.stringValue('$.outcome', '!=', 'acknowledged')),
  );
}
