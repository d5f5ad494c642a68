/**
 * Webhook delivery. First attempts and retries have separate queues and concurrency, so that endpoints that hang do not
 * delay others (shared/webhook/delivery-queue.sqs.ts).
 */
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { receivesMax, visibilitySeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { readFromLog } from '../../constructs/alarm.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { createDeliverWebhook } from './deliver-webhook-function.ts';

export class Webhooks extends Construct {
  readonly first: GatewayQueue;
  readonly retries: GatewayQueue;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage } = props;
    const common = { stage, visibilitySeconds, maxReceives: receivesMax };
    this.first = new GatewayQueue(this, 'Webhooks', common);
    this.retries = new GatewayQueue(this, 'WebhookRetries', common);
    // The queues have no batching window, so a batch has at most ten messages. With a window, Lambda may wait up to 20
    // seconds if there are few messages (AWS Lambda, "Using Lambda with Amazon SQS"). Retries would then be late, and
    // messages would become visible again while they are processed.
    const deliver = createDeliverWebhook(this, stage);
    measureFirstAttempts(deliver);
    this.first.feed(deliver, { batchSize: 10, maxConcurrency: stage.concurrency.webhooks });
    this.retries.feed(deliver, { batchSize: 10, maxConcurrency: stage.concurrency.webhookRetries });
  }
}

/**
 * Measures the delay of only the first queue. In the retry queue, slow endpoints delay first attempts, which is not the
 * gateway's fault.
 */
function measureFirstAttempts(deliver: GatewayFunction): void {
  const isFirst = FilterPattern.all(
    FilterPattern.stringValue('$.queue', '=', 'first'),
    FilterPattern.numberValue('$.attempt', '=', 1),
  );
  readFromLog(
    deliver,
    'WebhookFirstAttemptTime',
    // CloudWatch cannot compute percentiles of negative values.
    FilterPattern.all(isFirst, FilterPattern.numberValue('$.lateness_ms', '>=', 0)),
    '$.lateness_ms',
  );
  readFromLog(
    deliver,
    'WebhookFirstAttemptFailed',
    FilterPattern.all(isFirst, FilterPattern.stringValue('$.outcome', '!=', 'acknowledged')),
  );
}
