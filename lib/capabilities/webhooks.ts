/**
 * Webhook delivery: a lane for healthy endpoints and one for slow endpoints, with the same code, so that endpoints that
 * time out do not delay others (shared/webhook/endpoint-health). A worker that waits for an endpoint receives further
 * messages itself, which the permissions of its event source allow (shared/platform/receive-further.ts). A sweep finds
 * deliveries that a queue or schedule lost.
 */
import { Aws } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  receivesMax,
  slowLaneBatchSize,
  slowLaneBatchWindowSeconds,
  visibilitySeconds,
  workerTimeoutSeconds,
} from '../../shared/contract/delivery-times.ts';
import { webhookRuleNames } from '../../shared/platform/env.ts';
import { countedMetric, createAlarm } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import { GatewayQueue } from '../constructs/gateway-queue.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';
import type { Storage } from './storage/storage.ts';

interface WebhooksProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
}

/** A retry may be delayed in the queue for ten minutes. */
const oldSeconds = 1200;

export class Webhooks extends Construct {
  private readonly lane: GatewayQueue;
  private readonly slowLane: GatewayQueue;
  readonly sweep: GatewayFunction;

  constructor(scope: Construct, id: string, props: WebhooksProps) {
    super(scope, id);
    const { stage } = props;
    const common = { stage, oldSeconds, visibilitySeconds, maxReceives: receivesMax };
    this.lane = new GatewayQueue(this, 'Webhooks', { ...common, variable: 'WEBHOOKS_QUEUE_URL' });
    this.slowLane = new GatewayQueue(this, 'SlowWebhooks', {
      ...common,
      variable: 'SLOW_WEBHOOKS_QUEUE_URL',
    });
    this.lane.feed(this.createDeliver('DeliverWebhook', props), {
      batchSize: 10,
      maxConcurrency: stage.concurrency.webhooks,
    });
    // A batch of hanging POSTs takes 5 s, like a single one, so batches are large. Retries are scheduled early by the
    // second of the batching window (shared/webhook/schedule/retry-scheduler.ts).
    this.slowLane.feed(this.createDeliver('DeliverSlowWebhook', props), {
      batchSize: slowLaneBatchSize,
      batchingWindowSeconds: slowLaneBatchWindowSeconds,
      maxConcurrency: stage.concurrency.slowWebhooks,
    });
    this.sweep = this.createSweep(props);
    createAlarm(this, 'Failed', {
      stage,
      metric: countedMetric(stage, 'WebhookFailed'),
      meaning: 'A webhook failed after its last retry; its endpoint did not acknowledge it.',
      runbook: 'failed-webhooks',
    });
  }

  /** Permits sending deliveries to both lanes. */
  grantEnqueue(to: GatewayFunction): void {
    this.lane.grantSend(to);
    this.slowLane.grantSend(to);
  }

  /** By the names of the stack outputs. */
  queueUrls(): Readonly<Record<string, string>> {
    return {
      WebhooksQueue: this.lane.queue.queueUrl,
      WebhooksDeadLetters: this.lane.deadLetters.queueUrl,
      SlowWebhooksQueue: this.slowLane.queue.queueUrl,
      SlowWebhooksDeadLetters: this.slowLane.deadLetters.queueUrl,
    };
  }

  private createDeliver(id: string, { stage, storage, schedules }: WebhooksProps): GatewayFunction {
    const deliver = new GatewayFunction(this, id, {
      stage,
      functionName: 'deliver-webhook',
      timeoutSeconds: workerTimeoutSeconds,
      memoryMegabytes: 1024,
      // Each delivery's loop ends with its last attempt (shared/webhook/schedule/retry-scheduler.ts).
      recursiveLoop: true,
      settings: ['WEBHOOK_TIME_SCALE', 'SCHEDULE_LEAD_SECONDS', ...webhookRuleNames, 'RETENTION_DAYS'],
    });
    // PutItem replaces a delivery; DeleteItem releases the slot of a trial request.
    storage.grant(deliver, 'webhook-deliveries', 'GetItem', 'PutItem', 'DeleteItem');
    // UpdateItem counts failures; the others tell a client's endpoints that one of them was disabled.
    storage.grant(deliver, 'webhook-endpoints', 'GetItem', 'UpdateItem', 'Query');
    storage.grant(deliver, 'due-items', 'PutItem');
    storage.grant(deliver, 'client-secrets', 'GetItem');
    storage.grant(deliver, 'activity-log', 'PutItem');
    storage.grant(deliver, 'usage', 'UpdateItem');
    grantAssumeForeignRoles(deliver, stage);
    this.grantEnqueue(deliver);
    schedules.grantCreate(deliver, this.lane, 'WEBHOOKS_QUEUE_ARN');
    schedules.grantCreate(deliver, this.slowLane, 'SLOW_WEBHOOKS_QUEUE_ARN');
    return deliver;
  }

  private createSweep({ stage, storage, schedules }: WebhooksProps): GatewayFunction {
    const sweep = new GatewayFunction(this, 'SweepWebhooks', {
      stage,
      functionName: 'sweep-webhooks',
      timeoutSeconds: 50,
      settings: ['RETENTION_DAYS'],
    });
    storage.grant(sweep, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
    // The others continue requests to resend many webhooks.
    storage.grant(sweep, 'webhook-deliveries', 'GetItem', 'BatchGetItem', 'PutItem');
    storage.grant(sweep, 'messages', 'GetItem', 'BatchGetItem');
    storage.grantIndex(sweep, 'messages', 'by-client');
    storage.grantIndex(sweep, 'activity-log', 'by-client');
    storage.grant(sweep, 'clients', 'GetItem');
    storage.grant(sweep, 'webhook-endpoints', 'GetItem', 'Query');
    this.grantEnqueue(sweep);
    schedules.everyMinute(sweep);
    return sweep;
  }
}

/**
 * For queues and event buses of clients: any role, because clients name them, but none of the gateway's own
 * account, and only with an external id, which is the client's (shared/webhook/aws-destination/assumed-roles.ts).
 */
function grantAssumeForeignRoles(to: GatewayFunction, stage: StageSettings): void {
  Grant.addToPrincipal({
    grantee: to,
    actions: ['sts:AssumeRole'],
    resourceArns: [`arn:${Aws.PARTITION}:iam::*:role/*`],
    conditions: {
      StringNotEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
      ...(stage.grantWithExternalIdOnly ? { Null: { 'sts:ExternalId': 'false' } } : {}),
    },
  });
  acknowledge(to.executionRole, {
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/*]':
      'Clients name roles in their own accounts, whose trust policies decide; roles of this account are excluded.',
  });
}
