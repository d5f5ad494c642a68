/** Every minute: enqueues the webhooks that no queue message brought back in time. */
import { randomUUID } from 'node:crypto';
import { accountUrls } from '../shared/account/account-url.ts';
import { dynamoAgenda } from '../shared/agenda/agenda.dynamo.ts';
import { runBudgetMs } from '../shared/agenda/look-through.ts';
import { dynamo, sqs } from '../shared/aws.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log, logWarning } from '../shared/log.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { setAsideFromEnvironment } from '../shared/set-aside/from-environment.ts';
import { dynamoDeliveryReader } from '../shared/webhook/delivery-reader.dynamo.ts';
import { dynamoDeliveryStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoReceiverStore } from '../shared/webhook/receiver-health.dynamo.ts';
import { receiverHealth } from '../shared/webhook/receiver-health.ts';
import { sweep } from '../shared/webhook/sweep.ts';
import { sqsDeliveryQueue } from '../shared/webhook/wake.sqs.ts';

const env = readEnvironment([
  'AGENDA_TABLE',
  'CLIENTS_TABLE',
  'RETENTION_DAYS',
  'WEBHOOK_DELIVERIES_TABLE',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
]);
const queues = sqs();
const ports = {
  agenda: dynamoAgenda(dynamo(), env.AGENDA_TABLE),
  deliveries: {
    ...dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
    ...dynamoDeliveryReader(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  },
  messages: messagesFromEnvironment(),
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  health: receiverHealth(dynamoReceiverStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE)),
  queue: sqsDeliveryQueue(queues, { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
  setAside: setAsideFromEnvironment(queues),
  clock: systemClock,
  warn: logWarning,
  newRevision: randomUUID,
  retentionDays: env.RETENTION_DAYS,
  budgetMs: runBudgetMs,
};

export async function handler(): Promise<void> {
  const { enqueued, refused, cutShort, failures } = await sweep(ports);
  log.info('webhook sweep', { enqueued, refused, cut_short: cutShort, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some deliveries could not be swept');
}
