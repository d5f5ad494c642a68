/** GET /api/v1/sms/status/{message_id} */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoBatchStore } from '../shared/message/batch-store.dynamo.ts';
import { getStatus } from '../shared/message/get-status.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'BATCHES_TABLE', 'RETENTION_DAYS']);
const retentionDays = env.RETENTION_DAYS;

export const handler = httpFunction(
  routes.getMessageStatus,
  getStatus({
    messages: dynamoMessageStore(dynamo(), { tableName: env.MESSAGES_TABLE, retentionDays }),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays }),
  }),
);
