/** Runs every minute. Queues the messages and webhooks that somebody must look at (shared/due/due-index.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sendKinds } from '../shared/contract/channels.ts';
import { dynamoDueRows } from '../shared/due/due-rows.dynamo.ts';
import { type DueRun, queueDueRows, runBudgetMs } from '../shared/due/queue-due-rows.ts';
import {
  dueEntryOf,
  enqueueOutbound,
  type OutboundEntry,
  waitingOutbound,
} from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { waitingIn } from '../shared/platform/aws/queues.sqs.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { countMetric, log } from '../shared/platform/log.ts';
import { type DueWebhook, dueWebhookOf, sendWebhookRetries } from '../shared/webhook/delivery-queue.sqs.ts';

const context = contextOf(environmentOf<'queue-due-rows'>());
const { env } = context;
const queues = sqs();
const retriesUrl = env.WEBHOOK_RETRIES_QUEUE_URL;
const common = {
  reportBad({ message_id, delivery_id }, error) {
    log.error('a due row cannot be queued', { message_id, delivery_id, error });
    countMetric('InvalidRow');
  },
  clock: systemClock,
  sleep,
  budgetMs: runBudgetMs,
} satisfies Partial<DueRun<never>>;
const dueMessages: DueRun<OutboundEntry> = {
  ...common,
  rows: dynamoDueRows(dynamo(), env.MESSAGES_TABLE, 'message_id'),
  entryOf: dueEntryOf,
  enqueue: (entries) => enqueueOutbound(context, entries),
  kinds: sendKinds,
  waiting: (kind) => waitingOutbound(context, kind),
};
const dueWebhooks: DueRun<DueWebhook> = {
  ...common,
  rows: dynamoDueRows(dynamo(), env.WEBHOOK_DELIVERIES_TABLE, 'delivery_id'),
  entryOf: dueWebhookOf,
  enqueue: (entries) => sendWebhookRetries(context, entries),
  kinds: ['retries'],
  waiting: () => waitingIn(queues, retriesUrl),
};

export async function handler(): Promise<void> {
  const [messages, webhooks] = await Promise.all([queueDueRows(dueMessages), queueDueRows(dueWebhooks)]);
  countMetric('RowsDue', messages.left + webhooks.left);
  log.info('due rows', { messages: logged(messages), webhooks: logged(webhooks) });
  const failures = [...messages.failures, ...webhooks.failures];
  if (failures.length > 0) throw new AggregateError(failures, 'some rows that are due could not be queued');
}

function logged({ failures, cutShort, ...totals }: Awaited<ReturnType<typeof queueDueRows>>) {
  return { ...totals, cut_short: cutShort, failures: failures.length };
}
