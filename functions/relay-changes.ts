/** The messages table's stream: passes on what each change owes. All or nothing, for it may always be repeated. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { accountUrls } from '../shared/account/account-url.ts';
import { dynamoAgenda } from '../shared/agenda/agenda.dynamo.ts';
import { dynamo, scheduler, sqs } from '../shared/aws.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { countFigures, messageFigures } from '../shared/figures/count-figures.ts';
import { figuresFromEnvironment } from '../shared/figures/from-environment.ts';
import { log, logWarning } from '../shared/log.ts';
import { sqsOutboundQueue } from '../shared/message/outbound-queue.sqs.ts';
import { schedulerOfMessages } from '../shared/message/outbound-schedule.scheduler.ts';
import { type RelayDependencies, relay } from '../shared/relay/relay.ts';
import { readChanges } from '../shared/relay/stream.dynamo.ts';
import { unreadableTo } from '../shared/relay/unreadable.ts';
import { sqsDeadLetters } from '../shared/set-aside/dead-letters.sqs.ts';
import { setAsideFromEnvironment } from '../shared/set-aside/from-environment.ts';
import { dynamoReceiverStore } from '../shared/webhook/receiver-health.dynamo.ts';
import { receiverHealth } from '../shared/webhook/receiver-health.ts';
import { sqsDeliveryQueue } from '../shared/webhook/wake.sqs.ts';

const env = readEnvironment([
  'AGENDA_TABLE',
  'CLIENTS_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'OUTBOUND_QUEUE_URL',
  'OUTBOUND_QUEUE_ARN',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
  'RELAY_DEAD_LETTER_QUEUE_URL',
  'SCHEDULE_GROUP',
  'SCHEDULE_ROLE_ARN',
  'SCHEDULE_LEAD_SECONDS',
  'RETENTION_DAYS',
]);

const queues = sqs();
const deps: RelayDependencies = {
  outbound: sqsOutboundQueue(queues, env.OUTBOUND_QUEUE_URL),
  outboundScheduler: schedulerOfMessages(scheduler(), {
    groupName: env.SCHEDULE_GROUP,
    roleArn: env.SCHEDULE_ROLE_ARN,
    queueArn: env.OUTBOUND_QUEUE_ARN,
  }),
  scheduleLeadSeconds: env.SCHEDULE_LEAD_SECONDS,
  accountUrlOf: accountUrls(dynamoClientStore(dynamo(), env.CLIENTS_TABLE)),
  webhooks: {
    agenda: dynamoAgenda(dynamo(), env.AGENDA_TABLE),
    queue: sqsDeliveryQueue(queues, { fast: env.WEBHOOKS_QUEUE_URL, slow: env.SLOW_WEBHOOKS_QUEUE_URL }),
    health: receiverHealth(dynamoReceiverStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE)),
    warn: logWarning,
    clock: systemClock,
    newRevision: randomUUID,
    retentionDays: env.RETENTION_DAYS,
  },
  setAside: setAsideFromEnvironment(queues),
  clock: systemClock,
};
const figures = figuresFromEnvironment();
const setUnreadableAside = unreadableTo(sqsDeadLetters(queues, env.RELAY_DEAD_LETTER_QUEUE_URL));

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const { changes, unreadable } = readChanges(event.Records);
  await setUnreadableAside(unreadable);
  log.info('relayed', { records: event.Records.length, ...(await relay(deps, changes)) });
  await countFigures(figures, messageFigures(changes));
}
