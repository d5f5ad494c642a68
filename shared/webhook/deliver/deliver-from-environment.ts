/** The delivery worker's dependencies on AWS, made from its environment variables. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dynamoActivityLog } from '../../activity/activity-log.dynamo.ts';
import { dynamoWebhookSecrets } from '../../client/webhook-secrets.dynamo.ts';
import { cachedSecrets } from '../../client/webhook-secrets.ts';
import { dynamoDueItemIndex } from '../../due-items/due-item-index.dynamo.ts';
import {
  dynamo,
  type ForeignCredentials,
  foreignEventBridge,
  foreignSqs,
  scheduler,
  sqs,
  sts,
} from '../../platform/aws/clients.ts';
import { eventBridgeSchedules } from '../../platform/aws/one-shot-schedule.scheduler.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Environment, webhookRuleNames } from '../../platform/env.ts';
import { logWarning } from '../../platform/log.ts';
import { stsAssumeRole } from '../aws-destination/assume-role.sts.ts';
import { assumedRoles } from '../aws-destination/assumed-roles.ts';
import { eventBridgePutEvent } from '../aws-destination/put-event.eventbridge.ts';
import { sqsSendMessage } from '../aws-destination/send-message.sqs.ts';
import { type SendToAws, sendToAws } from '../aws-destination/send-to-aws.ts';
import { dynamoEndpointHealthStore } from '../endpoint-health/endpoint-health.dynamo.ts';
import { endpointHealth } from '../endpoint-health/endpoint-health.ts';
import { dynamoEndpointReader, dynamoEndpointResults } from '../endpoints/endpoint-store.dynamo.ts';
import { httpPost } from '../post/http-post.ts';
import { dnsResolve, machineResolve } from '../post/resolve-host.ts';
import { addressRules } from '../post/webhook-url.ts';
import { sqsDeliveryQueue } from '../schedule/delivery-queue.sqs.ts';
import { makeRetryScheduler } from '../schedule/retry-scheduler.ts';
import { dynamoDeliveryStore } from '../store/delivery-store.dynamo.ts';
import type { DeliverDependencies } from './deliver-dependencies.ts';
import { reportFailedDelivery } from './log-outcome.ts';

export const deliverEnvironment = [
  'WEBHOOK_DELIVERIES_TABLE',
  'WEBHOOK_ENDPOINTS_TABLE',
  'DUE_ITEMS_TABLE',
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

export function deliverDependencies(
  env: Environment<(typeof deliverEnvironment)[number]>,
): DeliverDependencies {
  const database = dynamo();
  const queue = sqsDeliveryQueue(sqs(), { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL });
  const scheduleOnce = eventBridgeSchedules(scheduler(), {
    groupName: env.SCHEDULE_GROUP,
    roleArn: env.SCHEDULE_ROLE_ARN,
    queueArns: { fast: env.WEBHOOKS_QUEUE_ARN, slow: env.SLOW_WEBHOOKS_QUEUE_ARN },
  });
  const healthStore = dynamoEndpointHealthStore(database, env.WEBHOOK_DELIVERIES_TABLE);
  let toAws: SendToAws | undefined;
  return {
    deliveries: dynamoDeliveryStore(database, env.WEBHOOK_DELIVERIES_TABLE),
    endpoints: {
      ...dynamoEndpointReader(database, env.WEBHOOK_ENDPOINTS_TABLE),
      ...dynamoEndpointResults(database, env.WEBHOOK_ENDPOINTS_TABLE),
    },
    dueItemIndex: dynamoDueItemIndex(database, env.DUE_ITEMS_TABLE),
    retentionDays: env.RETENTION_DAYS,
    activityLog: dynamoActivityLog(database, env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS),
    secrets: cachedSecrets(dynamoWebhookSecrets(database, env.CLIENT_SECRETS_TABLE), systemClock),
    health: endpointHealth(healthStore),
    trials: healthStore,
    post: httpPost({
      rules: addressRules(env),
      resolve: env.WEBHOOK_ALLOW_LOOPBACK ? machineResolve : dnsResolve(),
    }),
    sendToAws: (request) => {
      // Made with the first webhook for a queue or an event bus: most workers have none.
      toAws ??= awsSender();
      return toAws(request);
    },
    queue,
    retryScheduler: makeRetryScheduler(queue, scheduleOnce, env.SCHEDULE_LEAD_SECONDS),
    clock: systemClock,
    sleep,
    newRevision: randomUUID,
    reportFailedDelivery,
    warn: logWarning,
  };
}

/** Clients of the SDK are kept as long as the credentials that they were made for. */
function awsSender(): SendToAws {
  const roles = assumedRoles(stsAssumeRole(sts()), systemClock, randomUUID);
  const [queues, buses] = [perCredentials(foreignSqs), perCredentials(foreignEventBridge)];
  return sendToAws(roles, { sendMessage: sqsSendMessage(queues), putEvent: eventBridgePutEvent(buses) });
}

function perCredentials<Client>(make: (region: string, credentials: ForeignCredentials) => Client) {
  const clients = new WeakMap<ForeignCredentials, Client>();
  return (region: string, credentials: ForeignCredentials): Client => {
    const client = clients.get(credentials) ?? make(region, credentials);
    clients.set(credentials, client);
    return client;
  };
}
