/**
 * Webhook delivery: a lane for healthy endpoints and one for slow endpoints, with the same code, so that endpoints that
 * time out do not delay others (shared/webhook/endpoint-health). A worker that waits for an endpoint receives further
 * messages itself, which the permissions of its event source allow (shared/platform/process-queue-batch.ts). A sweep finds
 * deliveries that a queue or schedule lost.
 */
import { Construct } from 'constructs';
import { slowLaneBatchSize, slowLaneBatchWindowSeconds } from '../../../shared/contract/delivery-times.ts';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import type { CapabilityProps } from '../capability-props.ts';
import { createDeliverWebhook } from './deliver-webhook.ts';
import { createSweepWebhooks } from './sweep-webhooks.ts';
import { WebhookLanes } from './webhook-lanes.ts';

export class Webhooks extends Construct {
  readonly lanes: WebhookLanes;

  constructor(scope: Construct, id: string, props: CapabilityProps) {
    super(scope, id);
    const { stage } = props;
    this.lanes = new WebhookLanes(this, stage);
    this.lanes.fast.feed(createDeliverWebhook(this, 'DeliverWebhook', stage), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.webhooks,
    });
    // A batch of hanging POSTs takes 5 s, like a single one, so batches are large. Retries are scheduled early by the
    // second of the batching window (shared/webhook/delivery-queue.sqs.ts).
    this.lanes.slow.feed(createDeliverWebhook(this, 'DeliverSlowWebhook', stage), {
      batchSize: slowLaneBatchSize,
      batchingWindowSeconds: slowLaneBatchWindowSeconds,
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
