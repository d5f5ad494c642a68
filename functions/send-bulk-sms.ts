/** POST /api/v1/sms/bulk */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoBatchStore } from '../shared/message/batch-store.dynamo.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { sendBulkSms } from '../shared/message/send-bulk-sms.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlSchema } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment([
  'MESSAGES_TABLE',
  'BATCHES_TABLE',
  'RETENTION_DAYS',
  'WEBHOOK_PORTS',
  'WEBHOOK_ALLOW_HTTP',
  'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
]);
const retentionDays = env.RETENTION_DAYS;

export const handler = httpFunction(
  routes.sendBulkSms,
  sendBulkSms({
    messages: dynamoMessageStore(dynamo(), { tableName: env.MESSAGES_TABLE, retentionDays }),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays }),
    webhookUrl: webhookUrlSchema(env),
  }),
);
