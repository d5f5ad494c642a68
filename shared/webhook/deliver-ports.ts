/** The delivery worker's ports on AWS, made of its environment. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { dynamo, scheduler, sqs } from '../aws.ts';
import { dynamoWebhookSecrets } from '../client/webhook-secrets.dynamo.ts';
import { cachedSecrets } from '../client/webhook-secrets.ts';
import { systemClock } from '../clock.ts';
import { type Environment, webhookRuleNames } from '../env.ts';
import { logWarning } from '../log.ts';
import type { DeliverPorts } from './deliver.ts';
import { raiseAlarm } from './delivery-log.ts';
import { dynamoDeliveryStore } from './delivery-store.dynamo.ts';
import { httpPost } from './post.ts';
import { dynamoReceiverStore } from './receiver-health.dynamo.ts';
import { receiverHealth } from './receiver-health.ts';
import { dnsResolve, machineResolve } from './resolve.ts';
import { schedulerOfDeliveries } from './wake.scheduler.ts';
import { sqsDeliveryQueue } from './wake.sqs.ts';
import { wakeBy } from './wake.ts';
import { addressRules } from './webhook-url.ts';

export const deliverEnvironment = [
  'WEBHOOK_DELIVERIES_TABLE',
  'CLIENT_SECRETS_TABLE',
  'ACTIVITY_LOG_TABLE',
  'WEBHOOKS_QUEUE_URL',
  'WEBHOOKS_QUEUE_ARN',
  'SLOW_WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_ARN',
  'SCHEDULE_GROUP',
  'SCHEDULE_ROLE_ARN',
  'SCHEDULE_LEAD_SECONDS',
  ...webhookRuleNames,
  'RETENTION_DAYS',
] as const;

export function deliverPorts(env: Environment<(typeof deliverEnvironment)[number]>): DeliverPorts {
  const database = dynamo();
  const queue = sqsDeliveryQueue(sqs(), { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL });
  const schedules = schedulerOfDeliveries(scheduler(), {
    groupName: env.SCHEDULE_GROUP,
    roleArn: env.SCHEDULE_ROLE_ARN,
    queueArns: { fast: env.WEBHOOKS_QUEUE_ARN, slow: env.SLOW_WEBHOOKS_QUEUE_ARN },
  });
  return {
    deliveries: dynamoDeliveryStore(database, env.WEBHOOK_DELIVERIES_TABLE),
    activityLog: dynamoActivityLog(database, env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
    secrets: cachedSecrets(dynamoWebhookSecrets(database, env.CLIENT_SECRETS_TABLE), systemClock),
    health: receiverHealth(dynamoReceiverStore(database, env.WEBHOOK_DELIVERIES_TABLE)),
    post: httpPost({
      rules: addressRules(env),
      resolve: env.WEBHOOK_ALLOW_LOOPBACK ? machineResolve : dnsResolve(),
    }),
    queue,
    wake: wakeBy(queue, schedules, env.SCHEDULE_LEAD_SECONDS),
    clock: systemClock,
    sleep: async (ms) => void (await sleep(ms)),
    newRevision: randomUUID,
    raiseAlarm,
    warn: logWarning,
  };
}
