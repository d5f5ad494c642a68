/** Every minute: enqueues the webhooks that no queue message brought back in time. */
import { dynamoAgenda } from '../shared/agenda/agenda.dynamo.ts';
import { dynamo, sqs } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { dynamoDeliveryReader } from '../shared/webhook/delivery-reader.dynamo.ts';
import { dynamoDeliveryStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { sweep } from '../shared/webhook/sweep.ts';
import { sqsDeliveryQueue } from '../shared/webhook/wake.sqs.ts';

const env = readEnvironment([
  'AGENDA_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
]);
const ports = {
  agenda: dynamoAgenda(dynamo(), env.AGENDA_TABLE),
  deliveries: {
    ...dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
    ...dynamoDeliveryReader(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  },
  queue: sqsDeliveryQueue(sqs(), { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
  clock: systemClock,
  // Below the function's time limit, and over before the next minute's run begins.
  budgetMs: 40_000,
};

export async function handler(): Promise<void> {
  const { enqueued, cutShort, failures } = await sweep(ports);
  log.info('webhook sweep', { enqueued, cut_short: cutShort, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some deliveries could not be swept');
}
