/** Composes what every send needs, whatever its channel, from the function's environment. */

import { stageCountriesOf } from '../client/permission.ts';
import { expectedPrice, readPrices } from '../contract/prices.ts';
import { dynamoAllRows, dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { allowanceEnvironment, allowancesFrom } from '../limit/allowances-from-environment.ts';
import { overridesFrom } from '../limit/overrides.ts';
import type { SendDependencies } from '../message/send/send-one.ts';
import { messagesEnvironment, messagesFrom } from '../message/store/message-store.dynamo.ts';
import { dynamoSuppressedAmong } from '../message/suppression/suppression-store.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import { type Environment, webhookRuleNames } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { senderReader } from '../sender/select-sender.ts';
import { addressRules, webhookUrlSchema } from '../webhook/address-guard.ts';
import { httpEnvironment } from './client-guards.ts';

export const sendEnvironment = [
  ...httpEnvironment,
  ...messagesEnvironment,
  ...allowanceEnvironment,
  ...webhookRuleNames,
  'SENDERS_TABLE',
  'STAGE_SMS_SENDER',
  'ALLOWED_COUNTRIES',
  'SUPPRESSIONS_TABLE',
] as const;

export function sendDependencies(env: Environment<(typeof sendEnvironment)[number]>): SendDependencies {
  const prices = readPrices(env.PRICES_FILE);
  return {
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    stageCountries: stageCountriesOf(env),
    sendersOf: senderReader(
      {
        ...dynamoRowReader(dynamo(), env.SENDERS_TABLE),
        ...dynamoAllRows(dynamo(), env.SENDERS_TABLE),
      },
      env.STAGE_SMS_SENDER,
      systemClock,
      (invalid) => {
        log.warn('invalid sender ignored', { ...invalid });
        countMetric('InvalidSender');
      },
    ),
    priceOf: (message) => expectedPrice(prices, message),
    suppressedAmong: dynamoSuppressedAmong(dynamo(), env.SUPPRESSIONS_TABLE),
    webhookUrl: webhookUrlSchema(addressRules(env)),
  };
}
