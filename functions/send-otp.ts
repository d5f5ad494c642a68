/** POST /api/v1/otp/send: stores a message that carries a one-time password; its code is made at the hand-over. */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-otp.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment(['ONE_TIME_PASSWORDS_TABLE']);

export const handler = httpFunction(
  routes.sendOtp,
  sendOtp({
    messages: messagesFromEnvironment(),
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    webhookUrl: webhookUrlFromEnvironment(),
  }),
);
