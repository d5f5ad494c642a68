/** The two queues of deliveries. */
import type { Construct } from 'constructs';
import { receivesMax, visibilitySeconds } from '../../../shared/contract/times.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** A retry may be delayed in the queue for ten minutes. */
const oldSeconds = 1200;

export class WebhookLanes {
  readonly fast: GatewayQueue;
  readonly slow: GatewayQueue;

  constructor(scope: Construct, stage: StageSettings) {
    const common = { stage, oldSeconds, visibilitySeconds, maxReceives: receivesMax };
    this.fast = new GatewayQueue(scope, 'Webhooks', common);
    this.slow = new GatewayQueue(scope, 'SlowWebhooks', common);
  }

  /** Returns the URLs of the queues by the names of their stack outputs. */
  urls(): Readonly<Record<string, string>> {
    return {
      WebhooksQueue: this.fast.queue.queueUrl,
      WebhooksDeadLetters: this.fast.deadLetters.queueUrl,
      SlowWebhooksQueue: this.slow.queue.queueUrl,
      SlowWebhooksDeadLetters: this.slow.deadLetters.queueUrl,
    };
  }
}
