/** POST /api/v1/otp/send: stores a message that carries a one-time password; its code is made at the hand-over. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-otp.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/post/webhook-url.ts';

const env = readEnvironment(['ONE_TIME_PASSWORDS_TABLE']);

export const handler = httpFunction(
  routes.sendOtp,
  sendOtp({
    messages: messagesFromEnvironment(),
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    webhookUrl: webhookUrlFromEnvironment(),
  }),
);
