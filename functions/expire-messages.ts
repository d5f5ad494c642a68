/**
 * Runs every minute. Enqueues scheduled messages that are due within minutes, expires messages past their validity, enqueues
 * messages that a queue lost, and finds messages that the relay missed.
 */
import { dynamoClientIds } from '../shared/client/client-store.dynamo.ts';
import { outboundQueueUrls, sqsOutboundQueue } from '../shared/message/dispatch/outbound-queue.sqs.ts';
import { enqueueScheduled } from '../shared/message/dispatch/scheduled-entries.ts';
import { dynamoMessageList } from '../shared/message/store/message-list.dynamo.ts';
import { messagesFrom } from '../shared/message/store/message-store.dynamo.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { addSeconds, systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';
import { dynamoDueItemIndex } from '../shared/recovery/due-item-index.dynamo.ts';
import { runBudgetMs } from '../shared/recovery/process-due-items.ts';
import { setAsideFrom, sqsDeadLetters } from '../shared/recovery/set-aside.sqs.ts';
import { addMissedMessages } from '../shared/relay/add-missed-messages.ts';
import { expireOverdue } from '../shared/relay/expire-messages.ts';
import { sqsLostRecords } from '../shared/relay/lost-records.sqs.ts';
import { dynamoScanProgress } from '../shared/relay/scan-progress.dynamo.ts';

const env = environmentOf<'expire-messages'>();
const queues = sqs();
const dependencies = {
  dueItemIndex: dynamoDueItemIndex(dynamo(), env.DUE_ITEMS_TABLE),
  messages: messagesFrom(env),
  outbound: sqsOutboundQueue(queues, outboundQueueUrls(env)),
  setAside: setAsideFrom(env, queues),
  clock: systemClock,
  budgetMs: runBudgetMs,
};
const missed = {
  ...dependencies,
  progress: dynamoScanProgress(dynamo(), env.DUE_ITEMS_TABLE),
  clientIds: dynamoClientIds(dynamo(), env.CLIENTS_TABLE),
  list: dynamoMessageList(dynamo(), env.MESSAGES_TABLE),
  lostRecords: sqsLostRecords(
    queues,
    env.LOST_RECORDS_QUEUE_URL,
    sqsDeadLetters(queues, env.RELAY_DEAD_LETTER_QUEUE_URL),
    systemClock,
  ),
};

export async function handler(): Promise<void> {
  const endsAt = addSeconds(systemClock(), runBudgetMs / 1000);
  const [scheduled, { expired, requeued, cutShort, failures }] = await Promise.all([
    enqueueScheduled(dependencies),
    expireOverdue(dependencies),
  ]);
  const { added, failures: ofScan } = await addMissedMessages({ ...missed, endsAt });
  const all = [...scheduled.failures, ...failures, ...ofScan];
  log.info('expiry', {
    enqueued: scheduled.enqueued,
    expired,
    requeued,
    recovery_entered: added,
    cut_short: cutShort || scheduled.cutShort,
    failures: all.length,
  });
  if (all.length > 0) throw new AggregateError(all, 'some messages could not be reviewed');
}
