/** POST /api/v1/sms/bulk: stores an SMS for each good row, and answers when all of them are stored. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { dynamoBatchStore } from '../shared/message/send/batch-store.dynamo.ts';
import { sendBulkSms } from '../shared/message/send/send-bulk-sms.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/post/webhook-url.ts';

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
