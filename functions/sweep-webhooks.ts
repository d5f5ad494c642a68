/** Runs every minute. Enqueues overdue webhooks, then continues resends of many webhooks. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { dynamoDueItemIndex } from '../shared/recovery/due-item-index.dynamo.ts';
import { runBudgetMs } from '../shared/recovery/process-due-items.ts';
import { setAsideFrom } from '../shared/recovery/set-aside.sqs.ts';
import { reportFailedDelivery } from '../shared/webhook/deliver/alert-failure.ts';
import { sqsDeliveryQueue } from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoDeliveryStore, dynamoResendStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoEndpointReader, dynamoEndpointResults } from '../shared/webhook/endpoint-store.dynamo.ts';
import { continueResends } from '../shared/webhook/log/run-resend.ts';
import { sweep } from '../shared/webhook/sweep-deliveries.ts';

const env = environmentOf<'sweep-webhooks'>();
const queues = sqs();
const dependencies = {
  dueItemIndex: dynamoDueItemIndex(dynamo(), env.DUE_ITEMS_TABLE),
  deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  endpoints: {
    ...dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE),
    ...dynamoEndpointResults(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE),
  },
  activityLog: activityLogFrom(env),
  queue: sqsDeliveryQueue(queues, { first: env.WEBHOOKS_QUEUE_URL, retries: env.WEBHOOK_RETRIES_QUEUE_URL }),
  setAside: setAsideFrom(env, queues),
  clock: systemClock,
  newRevision: randomUUID,
  reportFailedDelivery,
  retentionDays: env.RETENTION_DAYS,
  budgetMs: runBudgetMs,
  resends: dynamoResendStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  sleep,
};

export async function handler(): Promise<void> {
  const startedAt = Date.now();
  const { enqueued, refused, cutShort, failures } = await sweep(dependencies);
  log.info('webhook sweep', { enqueued, refused, cut_short: cutShort, failures: failures.length });
  // Overdue webhooks come first. Resends get the rest of the minute.
  const budgetMs = Math.max(0, runBudgetMs - (Date.now() - startedAt));
  const resends = await continueResends({ ...dependencies, budgetMs });
  const all = [...failures, ...resends.failures];
  if (all.length > 0) throw new AggregateError(all, 'some deliveries could not be swept');
}
