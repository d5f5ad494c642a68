/** POST /api/v1/otp/send: stores a message with a one-time password. The code is created at the hand-over to the carrier. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendDependencies } from '../shared/message/send/send-one.ts';
import { dynamoOtpHolds, holdCheck } from '../shared/otp/otp-holds.dynamo.ts';
import { dynamoOtpSends } from '../shared/otp/otp-sends.dynamo.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-otp.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const env = environmentOf<'send-otp'>();

export const handler = httpFunction(
  routes.sendOtp,
  sendOtp({
    ...sendDependencies(env, webhookUrlFrom(env)),
    assertNotHeld: holdCheck(dynamoOtpHolds(dynamo(), env.OTP_HOLDS_TABLE), systemClock),
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    otpSends: dynamoOtpSends(dynamo(), {
      messages: env.MESSAGES_TABLE,
      retentionDays: env.RETENTION_DAYS,
      oneTimePasswords: env.ONE_TIME_PASSWORDS_TABLE,
    }),
  }),
  { dependencies: httpDependencies(env) },
);
