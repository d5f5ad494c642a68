/**
 * Webhook delivery: a lane for healthy endpoints and one for slow endpoints, with the same code, so that endpoints that
 * time out do not delay others (shared/webhook/endpoint-health). A worker that waits for an endpoint receives further
 * messages itself, which the permissions of its event source allow (shared/platform/process-queue-batch.ts). A sweep finds
 * deliveries that a queue or schedule lost.
 */
import { Construct } from 'constructs';
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
    // A lane has no batching window, so ten messages are the most: with a window, and few messages, Lambda may wait for
    // up to 20 seconds, however short the window is (AWS Lambda, "Using Lambda with Amazon SQS"). Retries would be late,
    // and their messages visible again while they are processed.
    this.lanes.fast.feed(createDeliverWebhook(this, 'DeliverWebhook', stage), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.webhooks,
    });
    // A worker that waits for hanging endpoints receives further messages itself.
    this.lanes.slow.feed(createDeliverWebhook(this, 'DeliverSlowWebhook', stage), {
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
