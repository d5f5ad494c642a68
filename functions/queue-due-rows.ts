/** Runs every minute. Queues the messages and webhooks that are due for processing (shared/due/due-index.ts). */
import { sendKinds } from '../shared/contract/channels.ts';
import { dueRowsOf } from '../shared/due/due-rows.dynamo.ts';
import { queueDueRows } from '../shared/due/queue-due-rows.ts';
import {
  dueEntryOf,
  enqueueOutbound,
  waitingOutbound,
} from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { waitingIn } from '../shared/platform/aws/queues.sqs.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { dueWebhookOf, sendWebhookRetries } from '../shared/webhook/delivery-queue.sqs.ts';

const context = contextOf(environmentOf<'queue-due-rows'>());
const { env, log, sqs } = context;

export async function handler(): Promise<void> {
  const [messages, webhooks] = await Promise.all([
    queueDueRows(context, {
      rows: dueRowsOf(context, env.MESSAGES_TABLE, 'message_id'),
      entryOf: dueEntryOf,
      enqueue: (entries) => enqueueOutbound(context, entries),
      kinds: sendKinds,
      waiting: (kind) => waitingOutbound(context, kind),
    }),
    queueDueRows(context, {
      rows: dueRowsOf(context, env.WEBHOOK_DELIVERIES_TABLE, 'delivery_id'),
      entryOf: dueWebhookOf,
      enqueue: (entries) => sendWebhookRetries(context, entries),
      kinds: ['retries'],
      waiting: () => waitingIn(sqs(), env.WEBHOOK_RETRIES_QUEUE_URL),
    }),
  ]);
  log.info('due rows', { messages: logged(messages), webhooks: logged(webhooks) });
  const failures = [...messages.failures, ...webhooks.failures];
  if (failures.length > 0) throw new AggregateError(failures, 'some rows that are due could not be queued');
}

function logged({ failures, cutShort, ...totals }: Awaited<ReturnType<typeof queueDueRows>>) {
  return { ...totals, cut_short: cutShort, failures: failures.length };
}
