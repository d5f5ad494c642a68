/** POST /api/v1/sms/bulk: stores an SMS for each valid row, and answers when all of them are stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  allowanceEnvironment,
  allowancesFrom,
  pricesFrom,
} from '../shared/carrier/allowances-from-environment.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/http/public-http-dependencies.ts';
import { senderPace } from '../shared/message/pace/sender-pace.ts';
import { dynamoSenderPaceStore } from '../shared/message/pace/sender-pace-store.dynamo.ts';
import { dynamoBatchStore } from '../shared/message/send/batch-store.dynamo.ts';
import { sendBulkSms } from '../shared/message/send/send-bulk-sms.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment, webhookRuleNames } from '../shared/platform/env.ts';
import { sendersEnvironment, sendersFrom } from '../shared/sender/senders-from-environment.ts';
import { addressRules, webhookUrlSchema } from '../shared/webhook/post/webhook-url.ts';

const env = readEnvironment([
  ...httpEnvironment,
  ...messagesEnvironment,
  ...allowanceEnvironment,
  ...sendersEnvironment,
  ...webhookRuleNames,
  'ALLOWED_COUNTRIES',
  'BATCHES_TABLE',
  'SENDER_PACE_TABLE',
]);

export const handler = httpFunction(
  routes.sendBulkSms,
  sendBulkSms({
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    sendersOf: sendersFrom(env),
    priceOf: pricesFrom(env),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays: env.RETENTION_DAYS }),
    stageCountries: env.ALLOWED_COUNTRIES,
    pace: senderPace({
      store: dynamoSenderPaceStore(dynamo(), env.SENDER_PACE_TABLE),
      clock: systemClock,
      sleep: async (ms) => void (await sleep(ms)),
      random: Math.random,
    }),
    webhookUrl: webhookUrlSchema(addressRules(env)),
  }),
  { dependencies: httpDependencies(env) },
);
