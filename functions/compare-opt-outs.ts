/** Compares the suppressions with the opt-out list of AWS, every hour if AWS is the carrier. */
import { setTimeout as sleep } from 'node:timers/promises';
import { awsOptOutList } from '../shared/carrier/aws/aws-opt-out-list.ts';
import { dynamoContacts } from '../shared/message/store/contacts.dynamo.ts';
import { dynamoConversations } from '../shared/message/store/conversations.dynamo.ts';
import { messagesFrom } from '../shared/message/store/message-store.dynamo.ts';
import { type CompareDependencies, compareOptOuts } from '../shared/message/suppression/compare-opt-outs.ts';
import {
  dynamoOptOutProgress,
  dynamoSuppressionChanges,
} from '../shared/message/suppression/opt-out-comparison.dynamo.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';

/** The function's time limit is 300 s: the last step that is started within this time ends before it. */
const budgetMs = 240_000;

const env = environmentOf<'compare-opt-outs'>();
const dependencies: CompareDependencies = {
  list: awsOptOutList(env.SMS_OPT_OUT_LIST),
  suppressions: {
    ...dynamoSuppressionStore(dynamo(), env.SUPPRESSIONS_TABLE, systemClock),
    ...dynamoSuppressionChanges(dynamo(), env.SUPPRESSIONS_TABLE),
  },
  conversations: dynamoConversations(dynamo(), env.MESSAGES_TABLE, messagesFrom(env)),
  contacts: dynamoContacts(dynamo(), {
    tableName: env.WHATSAPP_WINDOWS_TABLE,
    retentionDays: env.RETENTION_DAYS,
  }),
  progress: dynamoOptOutProgress(dynamo(), env.SUPPRESSIONS_TABLE, env.SMS_OPT_OUT_LIST),
  clock: systemClock,
  sleep,
  budgetMs,
};

export async function handler(): Promise<void> {
  const { suppressed, added, removed, refused, complete } = await compareOptOuts(dependencies);
  log.info('opt-out list', { suppressed, added, removed, refused, complete });
}
