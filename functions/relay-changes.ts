/**
 * Reads the stream of the messages table and starts the work that follows from each change. A batch succeeds or fails as a
 * whole. A repetition is safe.
 */
import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { accountUrls, dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { outboundQueueUrls, sqsOutboundQueue } from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log, logWarning } from '../shared/platform/log.ts';
import { dynamoDueItemIndex } from '../shared/recovery/due-item-index.dynamo.ts';
import { setAsideFrom, sqsDeadLetters } from '../shared/recovery/set-aside.sqs.ts';
import { type RelayDependencies, readChanges, relay, setUnreadableAside } from '../shared/relay/relay.ts';
import { sqsDeliveryQueue } from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoEndpointReader } from '../shared/webhook/endpoint-store.dynamo.ts';
import { dynamoSlowEndpoints } from '../shared/webhook/slow-endpoints.dynamo.ts';

const env = environmentOf<'relay-changes'>();

const queues = sqs();
const dependencies: RelayDependencies = {
  outbound: sqsOutboundQueue(queues, outboundQueueUrls(env)),
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  endpointsOf: dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE).listPlanned,
  webhooks: {
    dueItemIndex: dynamoDueItemIndex(dynamo(), env.DUE_ITEMS_TABLE),
    queue: sqsDeliveryQueue(queues, {
      first: env.WEBHOOKS_QUEUE_URL,
      retries: env.WEBHOOK_RETRIES_QUEUE_URL,
    }),
    slowEndpoints: dynamoSlowEndpoints(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
    clock: systemClock,
    newRevision: randomUUID,
    retentionDays: env.RETENTION_DAYS,
  },
  setAside: setAsideFrom(env, queues),
  warn: logWarning,
  clock: systemClock,
};
const keepCopy = sqsDeadLetters(queues, env.RELAY_DEAD_LETTER_QUEUE_URL);

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const { changes, unreadable } = readChanges(event.Records);
  await setUnreadableAside(keepCopy, unreadable);
  log.info('relayed', { records: event.Records.length, ...(await relay(dependencies, changes)) });
}
