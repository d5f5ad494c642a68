/** POST /api/v1/otp/send: stores a message with a one-time password; its code is made when the carrier gets it. */
import {
  allowanceEnvironment,
  allowancesFrom,
  pricesFrom,
} from '../shared/carrier/allowances-from-environment.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/http/public-http-dependencies.ts';
import { messagesEnvironment, messagesFrom } from '../shared/message/store/messages-from-environment.ts';
import { holdCheck } from '../shared/otp/hold/otp-hold.ts';
import { dynamoOtpHolds } from '../shared/otp/hold/otp-holds.dynamo.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-otp.ts';
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
  'ONE_TIME_PASSWORDS_TABLE',
  'OTP_HOLDS_TABLE',
]);

export const handler = httpFunction(
  routes.sendOtp,
  sendOtp({
    messages: messagesFrom(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    assertNotHeld: holdCheck(dynamoOtpHolds(dynamo(), env.OTP_HOLDS_TABLE), systemClock),
    sendersOf: sendersFrom(env),
    priceOf: pricesFrom(env),
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    stageCountries: env.ALLOWED_COUNTRIES,
    webhookUrl: webhookUrlSchema(addressRules(env)),
  }),
  { dependencies: httpDependencies(env) },
);
