/** Every minute: enqueues overdue webhooks. */
import { randomUUID } from 'node:crypto';
import { accountUrls } from '../shared/account/account-url.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { dynamoDueItemIndex } from '../shared/due-items/due-item-index.dynamo.ts';
import { runBudgetMs } from '../shared/due-items/process-due-items.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { log, logWarning } from '../shared/platform/log.ts';
import { setAsideEnvironment, setAsideFrom } from '../shared/set-aside/set-aside-from-environment.ts';
import { dynamoEndpointHealthStore } from '../shared/webhook/endpoint-health/endpoint-health.dynamo.ts';
import { endpointHealth } from '../shared/webhook/endpoint-health/endpoint-health.ts';
import { dynamoEndpointReader } from '../shared/webhook/endpoints/endpoint-store.dynamo.ts';
import { sqsDeliveryQueue } from '../shared/webhook/schedule/delivery-queue.sqs.ts';
import { dynamoDeliveryStore } from '../shared/webhook/store/delivery-store.dynamo.ts';
import { sweep } from '../shared/webhook/sweep/sweep-deliveries.ts';

const env = readEnvironment([
  ...messagesEnvironment,
  ...setAsideEnvironment,
  'DUE_ITEMS_TABLE',
  'CLIENTS_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'WEBHOOK_ENDPOINTS_TABLE',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
]);
const queues = sqs();
const dependencies = {
  dueItemIndex: dynamoDueItemIndex(dynamo(), env.DUE_ITEMS_TABLE),
  deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  messages: messagesFrom(env),
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  endpoints: dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE),
  health: endpointHealth(dynamoEndpointHealthStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE)),
  queue: sqsDeliveryQueue(queues, { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
  setAside: setAsideFrom(env, queues),
  clock: systemClock,
  warn: logWarning,
  newRevision: randomUUID,
  retentionDays: env.RETENTION_DAYS,
  budgetMs: runBudgetMs,
};

export async function handler(): Promise<void> {
  const { enqueued, refused, cutShort, failures } = await sweep(dependencies);
  log.info('webhook sweep', { enqueued, refused, cut_short: cutShort, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some deliveries could not be swept');
}
