/** Every minute: ends messages whose validity is over, and wakes scheduled ones that nothing woke. */
import { dynamo, sqs } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { expireOverdue } from '../shared/message/expire.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'OUTBOUND_QUEUE_URL', 'RETENTION_DAYS']);
const deps = {
  messages: dynamoMessageStore(dynamo(), {
    tableName: env.MESSAGES_TABLE,
    retentionDays: env.RETENTION_DAYS,
  }),
  outbound: sqsOutboundQueue(sqs(), env.OUTBOUND_QUEUE_URL),
  clock: systemClock,
  // Below the function's time limit, and over before the next minute's run begins.
  budgetMs: 40_000,
};

export async function handler(): Promise<void> {
  const { expired, woken, cutShort } = await expireOverdue(deps);
  log.info('expiry', { expired, woken, cut_short: cutShort });
}
