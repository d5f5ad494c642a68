/** Every minute: ends messages whose validity is over, and wakes scheduled ones that nothing woke. */
import { sqs } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { expireOverdue } from '../shared/message/expire.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';

const env = readEnvironment(['OUTBOUND_QUEUE_URL']);
const deps = {
  messages: messagesFromEnvironment(),
  outbound: sqsOutboundQueue(sqs(), env.OUTBOUND_QUEUE_URL),
  clock: systemClock,
  // Below the function's time limit, and over before the next minute's run begins.
  budgetMs: 40_000,
};

export async function handler(): Promise<void> {
  const { expired, woken, cutShort } = await expireOverdue(deps);
  log.info('expiry', { expired, woken, cut_short: cutShort });
}
