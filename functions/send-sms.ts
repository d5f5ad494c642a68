/** POST /api/v1/sms/send: stores one SMS, and answers when it is stored. */
import {
  allowanceEnvironment,
  allowancesFrom,
  pricesFrom,
} from '../shared/carrier/allowances-from-environment.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/http/public-http-dependencies.ts';
import { sendSms } from '../shared/message/send/send-sms.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
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
]);

export const handler = httpFunction(
  routes.sendSms,
  sendSms({
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    stageCountries: env.ALLOWED_COUNTRIES,
    sendersOf: sendersFrom(env),
    priceOf: pricesFrom(env),
    webhookUrl: webhookUrlSchema(addressRules(env)),
  }),
  { dependencies: httpDependencies(env) },
);
