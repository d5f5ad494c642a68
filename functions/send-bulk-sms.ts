/** POST /api/v1/sms/bulk: stores an SMS for each good row, and answers when all of them are stored. */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoBatchStore } from '../shared/message/batch-store.dynamo.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sendBulkSms } from '../shared/message/send-bulk-sms.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment(['BATCHES_TABLE', 'RETENTION_DAYS']);
const retentionDays = env.RETENTION_DAYS;

export const handler = httpFunction(
  routes.sendBulkSms,
  sendBulkSms({
    messages: messagesFromEnvironment(),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays }),
    webhookUrl: webhookUrlFromEnvironment(),
  }),
);
