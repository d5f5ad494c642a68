/** Runs every minute. Queues the messages that somebody must look at (shared/due/due-index.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sendKinds } from '../shared/contract/channels.ts';
import { dynamoDueRows } from '../shared/due/due-rows.dynamo.ts';
import { queueDueRows, runBudgetMs } from '../shared/due/queue-due-rows.ts';
import {
  dueEntryOf,
  outboundQueueUrls,
  sqsOutboundQueue,
  waitingOutbound,
} from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { countMetric, log } from '../shared/platform/log.ts';

const env = environmentOf<'queue-due-rows'>();
const queues = sqs();
const queueUrls = outboundQueueUrls(env);
const rows = dynamoDueRows(dynamo(), env.MESSAGES_TABLE, 'message_id');

export async function handler(): Promise<void> {
  const { failures, cutShort, ...totals } = await queueDueRows({
    rows,
    entryOf: dueEntryOf,
    enqueue: sqsOutboundQueue(queues, queueUrls).enqueue,
    kinds: sendKinds,
    waiting: waitingOutbound(queues, queueUrls),
    reportBad({ message_id }, error) {
      log.error('a due row cannot be queued', { message_id, error });
      countMetric('InvalidRow');
    },
    clock: systemClock,
    sleep,
    budgetMs: runBudgetMs,
  });
  countMetric('RowsDue', totals.left);
  log.info('due rows', { ...totals, cut_short: cutShort, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some rows that are due could not be queued');
}
