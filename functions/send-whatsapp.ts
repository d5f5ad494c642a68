/** POST /api/v1/whatsapp/send */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { sendWhatsApp } from '../shared/message/send-whatsapp.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlSchema } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment([
  'MESSAGES_TABLE',
  'RETENTION_DAYS',
  'WEBHOOK_PORTS',
  'WEBHOOK_ALLOW_HTTP',
  'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
]);
const table = { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS };

export const handler = httpFunction(
  routes.sendWhatsApp,
  sendWhatsApp({ messages: dynamoMessageStore(dynamo(), table), webhookUrl: webhookUrlSchema(env) }),
);
