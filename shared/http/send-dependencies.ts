/** Composes what every send needs, whatever its channel, from the function's environment. */
import { allowanceEnvironment, allowancesFrom } from '../cap/allowances-from-environment.ts';
import { stageCountriesOf } from '../client/permission.ts';
import type { SendDependencies } from '../message/send/send-dependencies.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import { messagesEnvironment, messagesFrom } from '../message/store/messages-from-environment.ts';
import { dynamoSuppressedAmong } from '../message/suppression/suppressed-recipients.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { type Environment, webhookRuleNames } from '../platform/env.ts';
import { expectedPrice } from '../price/prices.ts';
import { readPrices } from '../price/prices-file.ts';
import { overridesFrom } from '../rate-limit/overrides-from-environment.ts';
import { sendersEnvironment, sendersFrom } from '../sender/senders-from-environment.ts';
import { addressRules, webhookUrlSchema } from '../webhook/post/webhook-url.ts';
import { httpEnvironment } from './http-dependencies.ts';

export const sendEnvironment = [
  ...httpEnvironment,
  ...messagesEnvironment,
  ...allowanceEnvironment,
  ...sendersEnvironment,
  ...webhookRuleNames,
  'ALLOWED_COUNTRIES',
  'SUPPRESSIONS_TABLE',
] as const;

export function sendDependencies(
  env: Environment<(typeof sendEnvironment)[number]>,
): SendDependencies & { readonly messages: MessageStore } {
  const prices = readPrices(env.PRICES_FILE);
  return {
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    stageCountries: stageCountriesOf(env),
    sendersOf: sendersFrom(env),
    priceOf: (message) => expectedPrice(prices, message),
    suppressedAmong: dynamoSuppressedAmong(dynamo(), env.SUPPRESSIONS_TABLE),
    webhookUrl: webhookUrlSchema(addressRules(env)),
  };
}
