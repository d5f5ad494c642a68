/**
 * Webhook delivery: two lanes from the same code, so that receivers which keep timing out wait for each other
 * and not for those that answer (shared/webhook/endpoint-health/endpoint-health.ts), and a sweep that finds whatever a queue or a
 * schedule lost.
 */
import { Construct } from 'constructs';
import { webhookRuleNames } from '../../shared/platform/env.ts';
import { countedMetric, watch } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import { GatewayQueue } from '../constructs/gateway-queue.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';
import type { Storage } from './storage/storage.ts';

interface WebhooksProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
}

/**
 * A wait below 2 s, 5.5 s for the POST, and the writes around it, of which the outcome is tried for long. Below the
 * 30 s for which a worker holds an attempt: once the lease is over, its worker is surely gone.
 */
const deliverTimeoutSeconds = 25;
/** A retry may wait in the queue for its ten minutes. */
const oldSeconds = 1200;

export class Webhooks extends Construct {
  private readonly lane: GatewayQueue;
  private readonly slowLane: GatewayQueue;
  readonly sweep: GatewayFunction;

  constructor(scope: Construct, id: string, props: WebhooksProps) {
    super(scope, id);
    const { stage } = props;
    this.lane = new GatewayQueue(this, 'Webhooks', {
      stage,
      variable: 'WEBHOOKS_QUEUE_URL',
      oldSeconds,
      consumerTimeoutSeconds: deliverTimeoutSeconds,
    });
    this.slowLane = new GatewayQueue(this, 'SlowWebhooks', {
      stage,
      variable: 'SLOW_WEBHOOKS_QUEUE_URL',
      oldSeconds,
      consumerTimeoutSeconds: deliverTimeoutSeconds,
    });
    this.lane.feed(this.makeDeliver('DeliverWebhook', props), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.webhooks,
    });
    // A worker here is held for 5 s by one POST as by a hundred, so they gather first. The second that it takes is one
    // by which their wakes come early (shared/webhook/schedule/retry-scheduler.ts).
    this.slowLane.feed(this.makeDeliver('DeliverSlowWebhook', props), {
      batchSize: 100,
      batchingWindowSeconds: 1,
      maxConcurrency: stage.concurrency.slowWebhooks,
    });
    this.sweep = this.makeSweep(props);
    watch(this, 'Failed', {
      stage,
      metric: countedMetric(stage, 'WebhookFailed'),
      says: 'A webhook failed after its last retry; its receiver is at fault.',
      runbook: 'failed-webhooks',
    });
  }

  /** Permits putting deliveries on either lane. */
  grantEnqueue(to: GatewayFunction): void {
    this.lane.grantSend(to);
    this.slowLane.grantSend(to);
  }

  /** Under the names of the stack outputs that publish them. */
  queueUrls(): Readonly<Record<string, string>> {
    return {
      WebhooksQueue: this.lane.queue.queueUrl,
      WebhooksDeadLetters: this.lane.deadLetters.queueUrl,
      SlowWebhooksQueue: this.slowLane.queue.queueUrl,
      SlowWebhooksDeadLetters: this.slowLane.deadLetters.queueUrl,
    };
  }

  private makeDeliver(id: string, { stage, storage, schedules }: WebhooksProps): GatewayFunction {
    const deliver = new GatewayFunction(this, id, {
      stage,
      functionName: 'deliver-webhook',
      timeoutSeconds: deliverTimeoutSeconds,
      memoryMegabytes: 1024,
      settings: ['WEBHOOK_TIME_SCALE', 'SCHEDULE_LEAD_SECONDS', ...webhookRuleNames, 'RETENTION_DAYS'],
    });
    // A row is replaced as a whole; the slot of a probe is freed.
    storage.grant(deliver, 'webhook-deliveries', 'GetItem', 'PutItem', 'DeleteItem');
    storage.grant(deliver, 'client-secrets', 'GetItem');
    storage.grant(deliver, 'activity-log', 'PutItem');
    storage.grant(deliver, 'usage', 'UpdateItem');
    this.grantEnqueue(deliver);
    schedules.grantCreate(deliver, this.lane, 'WEBHOOKS_QUEUE_ARN');
    schedules.grantCreate(deliver, this.slowLane, 'SLOW_WEBHOOKS_QUEUE_ARN');
    return deliver;
  }

  private makeSweep({ stage, storage, schedules }: WebhooksProps): GatewayFunction {
    const sweep = new GatewayFunction(this, 'SweepWebhooks', {
      stage,
      functionName: 'sweep-webhooks',
      timeoutSeconds: 50,
      settings: ['RETENTION_DAYS'],
    });
    storage.grant(sweep, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
    storage.grant(sweep, 'webhook-deliveries', 'GetItem', 'BatchGetItem');
    storage.grant(sweep, 'messages', 'GetItem');
    storage.grant(sweep, 'clients', 'GetItem');
    this.grantEnqueue(sweep);
    schedules.everyMinute(sweep);
    return sweep;
  }
}
