/** Reads the messages table's stream and does what each change requires. A batch succeeds or fails as a whole: repeating it is safe. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { accountUrls } from '../shared/account/account-url.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { dynamoDueItemIndex } from '../shared/due-items/due-item-index.dynamo.ts';
import {
  outboundQueuesEnvironment,
  outboundQueueUrls,
  sqsOutboundQueue,
} from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { dynamo, scheduler, sqs } from '../shared/platform/aws/clients.ts';
import { eventBridgeSchedules } from '../shared/platform/aws/one-shot-schedule.scheduler.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log, logWarning } from '../shared/platform/log.ts';
import { type RelayDependencies, relay } from '../shared/relay/relay.ts';
import { readChanges, setUnreadableAside } from '../shared/relay/stream.dynamo.ts';
import { sqsDeadLetters } from '../shared/set-aside/dead-letters.sqs.ts';
import { setAsideEnvironment, setAsideFrom } from '../shared/set-aside/set-aside-from-environment.ts';
import { dynamoEndpointHealthStore } from '../shared/webhook/endpoint-health/endpoint-health.dynamo.ts';
import { endpointHealth } from '../shared/webhook/endpoint-health/endpoint-health.ts';
import { dynamoEndpointReader } from '../shared/webhook/endpoints/endpoint-store.dynamo.ts';
import { sqsDeliveryQueue } from '../shared/webhook/schedule/delivery-queue.sqs.ts';

const env = readEnvironment([
  ...setAsideEnvironment,
  'DUE_ITEMS_TABLE',
  'CLIENTS_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'WEBHOOK_ENDPOINTS_TABLE',
  ...outboundQueuesEnvironment,
  'OTP_OUTBOUND_QUEUE_ARN',
  'OUTBOUND_QUEUE_ARN',
  'BULK_OUTBOUND_QUEUE_ARN',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
  'SCHEDULE_GROUP',
  'SCHEDULE_ROLE_ARN',
  'SCHEDULE_LEAD_SECONDS',
]);

const queues = sqs();
const dependencies: RelayDependencies = {
  outbound: sqsOutboundQueue(queues, outboundQueueUrls(env)),
  scheduleOnce: eventBridgeSchedules(scheduler(), {
    groupName: env.SCHEDULE_GROUP,
    roleArn: env.SCHEDULE_ROLE_ARN,
    queueArns: {
      otp: env.OTP_OUTBOUND_QUEUE_ARN,
      single: env.OUTBOUND_QUEUE_ARN,
      bulk: env.BULK_OUTBOUND_QUEUE_ARN,
    },
  }),
  scheduleLeadSeconds: env.SCHEDULE_LEAD_SECONDS,
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  endpointsOf: dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE).list,
  webhooks: {
    dueItemIndex: dynamoDueItemIndex(dynamo(), env.DUE_ITEMS_TABLE),
    queue: sqsDeliveryQueue(queues, { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
    health: endpointHealth(dynamoEndpointHealthStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE)),
    warn: logWarning,
    clock: systemClock,
    newRevision: randomUUID,
    retentionDays: env.RETENTION_DAYS,
  },
  setAside: setAsideFrom(env, queues),
  clock: systemClock,
};
const keepCopy = sqsDeadLetters(queues, env.RELAY_DEAD_LETTER_QUEUE_URL);

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const { changes, unreadable } = readChanges(event.Records);
  await setUnreadableAside(keepCopy, unreadable);
  log.info('relayed', { records: event.Records.length, ...(await relay(dependencies, changes)) });
}
