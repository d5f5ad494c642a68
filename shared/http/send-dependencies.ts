/** Composes what every send needs, whatever its channel, from the function's environment. */

import { channelsOffOf, stageCountriesOf } from '../client/permission.ts';
import { stageCarriersOf } from '../contract/channels.ts';
import type { sendRequest } from '../contract/function-uses.ts';
import { expectedPrice, readPrices } from '../contract/prices.ts';
import { dynamoAllRows, dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { allowancesFrom } from '../limit/allowance.ts';
import { overridesFrom } from '../limit/overrides.ts';
import type { SendDependencies } from '../message/send/send-one.ts';
import { messagesFrom } from '../message/store/message-store.dynamo.ts';
import { dynamoSuppressedAmong } from '../message/suppression/suppression-store.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { senderReader } from '../sender/select-sender.ts';
import { addressRules, webhookUrlSchema } from '../webhook/address-guard.ts';

export function sendDependencies(env: EnvironmentFor<typeof sendRequest>): SendDependencies {
  const prices = readPrices(env.PRICES_FILE);
  return {
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    stageCountries: stageCountriesOf(env),
    channelsOff: channelsOffOf(env),
    sendersOf: senderReader(
      {
        ...dynamoRowReader(dynamo(), env.SENDERS_TABLE),
        ...dynamoAllRows(dynamo(), env.SENDERS_TABLE),
      },
      { sms: env.STAGE_SMS_SENDER, carriers: stageCarriersOf(env) },
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
