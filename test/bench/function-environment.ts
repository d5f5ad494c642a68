/** Values for every variable that a function reads, for runs outside a deployed stage. */
import { stageVariables } from '../../lib/stages/stage-variables.ts';
import { stageFrom } from '../../lib/stages/stages.ts';
import { tableShapes } from '../../shared/contract/tables.ts';
import { variableOf } from '../../shared/contract/uses.ts';
import { pricesFile } from '../support/template/prices.ts';

const queue = (name: string): string => `http://127.0.0.1:9/000000000000/${name}`;
const arn = (service: string, name: string): string => `arn:aws:${service}:us-east-1:000000000000:${name}`;

const tables = Object.keys(tableShapes).map((name) => [variableOf(name, 'TABLE'), name] as const);

export const functionEnvironment = {
  ...Object.fromEntries(tables),
  ...stageVariables(
    stageFrom({
      stage: 'local',
      smsOriginationIdentity: 'bench',
      whatsappPhoneNumberId: 'phone-number-id-bench',
      whatsappOtpTemplate: 'one_time_password/en',
      local: { scheduleLeadSeconds: 60 },
    }),
  ),
  OTP_OUTBOUND_QUEUE_URL: queue('otp-outbound'),
  OUTBOUND_QUEUE_URL: queue('outbound'),
  BULK_OUTBOUND_QUEUE_URL: queue('bulk-outbound'),
  RECEIPTS_QUEUE_URL: queue('receipts'),
  WEBHOOKS_QUEUE_URL: queue('webhooks'),
  WEBHOOK_RETRIES_QUEUE_URL: queue('webhook-retries'),
  RELAY_DEAD_LETTER_QUEUE_URL: queue('relay-dead-letters'),
  GATEWAY_ACCOUNT: '000000000000',
  GATEWAY_PARTITION: 'aws',
  SCHEDULE_GROUP: 'schedules',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::000000000000:role/scheduler',
  WEBHOOKS_QUEUE_ARN: arn('sqs', 'webhooks'),
  WEBHOOK_RETRIES_QUEUE_ARN: arn('sqs', 'webhook-retries'),
  TOKEN_SIGNING_KEY_ID: 'token-key',
  TOKEN_ISSUER: 'https://gateway.test',
  TOKEN_AUDIENCE: 'messaging-gateway',
  OTP_SECRET_ARN: arn('secretsmanager', 'secret:otp'),
  CARRIER_SECRETS: '{}',
  PRICES_FILE: pricesFile,
};
