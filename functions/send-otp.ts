/** POST /api/v1/otp/send */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { sendOtp } from '../shared/otp/send-otp.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlSchema } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment([
  'MESSAGES_TABLE',
  'ONE_TIME_PASSWORDS_TABLE',
  'RETENTION_DAYS',
  'WEBHOOK_PORTS',
  'WEBHOOK_ALLOW_HTTP',
  'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
]);
const table = { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS };

export const handler = httpFunction(
  routes.sendOtp,
  sendOtp({
    messages: dynamoMessageStore(dynamo(), table),
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    webhookUrl: webhookUrlSchema(env),
  }),
);
