/** The two queues of deliveries. */
import type { Construct } from 'constructs';
import { receivesMax, visibilitySeconds } from '../../../shared/contract/delivery-times.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** A retry may be delayed in the queue for ten minutes. */
const oldSeconds = 1200;

export class WebhookLanes {
  readonly fast: GatewayQueue;
  readonly slow: GatewayQueue;

  constructor(scope: Construct, stage: StageSettings) {
    const common = { stage, oldSeconds, visibilitySeconds, maxReceives: receivesMax };
    this.fast = new GatewayQueue(scope, 'Webhooks', { ...common, variable: 'WEBHOOKS_QUEUE_URL' });
    this.slow = new GatewayQueue(scope, 'SlowWebhooks', { ...common, variable: 'SLOW_WEBHOOKS_QUEUE_URL' });
  }

  /** Permits sending deliveries to both lanes. */
  grantEnqueue(to: GatewayFunction): void {
    this.fast.grantSend(to);
    this.slow.grantSend(to);
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
