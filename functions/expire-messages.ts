/** Every minute: ends messages whose validity is over, and wakes scheduled ones that nothing woke. */
import { dynamoAgenda } from '../shared/agenda/agenda.dynamo.ts';
import { runBudgetMs } from '../shared/agenda/look-through.ts';
import { dynamo, sqs } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { expireOverdue } from '../shared/message/expire.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';

const env = readEnvironment(['AGENDA_TABLE', 'OUTBOUND_QUEUE_URL']);
const deps = {
  agenda: dynamoAgenda(dynamo(), env.AGENDA_TABLE),
  messages: messagesFromEnvironment(),
  outbound: sqsOutboundQueue(sqs(), env.OUTBOUND_QUEUE_URL),
  clock: systemClock,
  budgetMs: runBudgetMs,
};

export async function handler(): Promise<void> {
  const { expired, woken, cutShort, failures } = await expireOverdue(deps);
  log.info('expiry', { expired, woken, cut_short: cutShort, failures: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, 'some messages could not be looked at');
}
