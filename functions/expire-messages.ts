/**
 * Every minute: ends messages whose validity is over, wakes scheduled ones that nothing woke, and finds those that the
 * relay never passed on.
 */
import { dynamoAgenda } from '../shared/agenda/agenda.dynamo.ts';
import { runBudgetMs } from '../shared/agenda/look-through.ts';
import { dynamo, sqs } from '../shared/aws.ts';
import { dynamoClientIds } from '../shared/client/client-ids.dynamo.ts';
import { addSeconds, systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { log } from '../shared/log.ts';
import { expireOverdue } from '../shared/message/expire.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { dynamoMessageList } from '../shared/message/message-list.dynamo.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';
import { recoverMessages } from '../shared/message/recover.ts';
import { dynamoRecoveryStore } from '../shared/message/recovery-store.dynamo.ts';
import { setAsideFromEnvironment } from '../shared/set-aside/from-environment.ts';

const env = readEnvironment(['AGENDA_TABLE', 'CLIENTS_TABLE', 'MESSAGES_TABLE', 'OUTBOUND_QUEUE_URL']);
const queues = sqs();
const deps = {
  agenda: dynamoAgenda(dynamo(), env.AGENDA_TABLE),
  messages: messagesFromEnvironment(),
  outbound: sqsOutboundQueue(queues, env.OUTBOUND_QUEUE_URL),
  setAside: setAsideFromEnvironment(queues),
  clock: systemClock,
  budgetMs: runBudgetMs,
};
const recovery = {
  ...deps,
  progress: dynamoRecoveryStore(dynamo(), env.AGENDA_TABLE),
  clientIds: dynamoClientIds(dynamo(), env.CLIENTS_TABLE),
  list: dynamoMessageList(dynamo(), env.MESSAGES_TABLE),
};

export async function handler(): Promise<void> {
  const endsAt = addSeconds(systemClock(), runBudgetMs / 1000);
  const { expired, woken, cutShort, failures } = await expireOverdue(deps);
  const recovered = await recoverMessages({ ...recovery, endsAt });
  const all = [...failures, ...recovered.failures];
  log.info('expiry', {
    expired,
    woken,
    recovery_entered: recovered.entered,
    cut_short: cutShort,
    failures: all.length,
  });
  if (all.length > 0) throw new AggregateError(all, 'some messages could not be looked at');
}
