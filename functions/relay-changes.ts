/**
 * Reads the stream of the messages table and starts the work that follows from each change, and relays records again that were
 * set aside. A batch of the stream succeeds or fails as a whole. A repetition is safe.
 */
import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { accountUrls, dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { enqueueOutbound, type OutboundEntry } from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { relay, relayAgain } from '../shared/relay/relay.ts';
import { sqsDeadLetters } from '../shared/relay/set-aside-copy.sqs.ts';
import { sqsDeliveryQueue } from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoDeliveryStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoEndpointReader } from '../shared/webhook/endpoint-store.dynamo.ts';
import { dynamoSlowEndpoints } from '../shared/webhook/slow-endpoints.dynamo.ts';

const env = environmentOf<'relay-changes'>();

const queues = sqs();
const context = contextOf(env);
const dependencies = {
  ...context,
  outbound: { enqueue: (entries: readonly OutboundEntry[]) => enqueueOutbound(context, entries) },
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  endpointsOf: dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE).listPlanned,
  webhooks: {
    deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
    queue: sqsDeliveryQueue(queues, {
      first: env.WEBHOOKS_QUEUE_URL,
      retries: env.WEBHOOK_RETRIES_QUEUE_URL,
    }),
    slowEndpoints: dynamoSlowEndpoints(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
    clock: systemClock,
    newRevision: randomUUID,
    retentionDays: env.RETENTION_DAYS,
  },
  setAside: sqsDeadLetters(queues, env.RELAY_DEAD_LETTER_QUEUE_URL),
};

export async function handler(event: DynamoDBStreamEvent | SQSEvent) {
  const { Records: records } = event;
  if (isOfQueue(records)) return relayAgain(dependencies, records);
  log.info('relayed', { records: records.length, ...(await relay(dependencies, records)) });
  return undefined;
}

function isOfQueue(records: (DynamoDBStreamEvent | SQSEvent)['Records']): records is SQSEvent['Records'] {
  return records[0] !== undefined && 'body' in records[0];
}
