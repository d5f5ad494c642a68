/** POST /api/v1/otp/send: stores a message with a one-time password. The code is created at the hand-over to the carrier. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { dynamoOtpHolds, holdCheck } from '../shared/otp/otp-holds.dynamo.ts';
import { dynamoOtpSends } from '../shared/otp/otp-sends.dynamo.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-password.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'send-otp'>());
const { db, env } = context;

export const handler = httpFunction(
  context,
  routes.sendOtp,
  sendOtp(context, webhookUrlFrom(env), {
    assertNotHeld: holdCheck(dynamoOtpHolds(db, env.OTP_HOLDS_TABLE), context.clock),
    otps: dynamoOtpStore(db, env.ONE_TIME_PASSWORDS_TABLE),
    otpSends: dynamoOtpSends(db, {
      messages: env.MESSAGES_TABLE,
      retentionDays: env.RETENTION_DAYS,
      oneTimePasswords: env.ONE_TIME_PASSWORDS_TABLE,
    }),
  }),
);
