/** Every minute: enqueues the webhooks that no queue message brought back in time. */
import { randomUUID } from 'node:crypto';
import { dynamo, sqs } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { dynamoDeliveryStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { sweep } from '../shared/webhook/sweep.ts';
import { sqsDeliveryQueue } from '../shared/webhook/wake.sqs.ts';

const env = readEnvironment(['WEBHOOK_DELIVERIES_TABLE', 'WEBHOOKS_QUEUE_URL', 'SLOW_WEBHOOKS_QUEUE_URL']);
const ports = {
  deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  queue: sqsDeliveryQueue(sqs(), { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
  clock: systemClock,
  newRevision: randomUUID,
};

export async function handler(): Promise<void> {
  const { enqueued, failures } = await sweep(ports);
  log.info('webhook sweep', { enqueued, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some deliveries could not be swept');
}
