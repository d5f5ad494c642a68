/** GET /api/v1/sms/status/{message_id}: how one of the client's own messages, or a batch, stands now. */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { dynamoBatchStore } from '../shared/message/batch-store.dynamo.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { getStatus } from '../shared/message/get-status.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['BATCHES_TABLE', 'RETENTION_DAYS']);
const retentionDays = env.RETENTION_DAYS;

export const handler = httpFunction(
  routes.getMessageStatus,
  getStatus({
    messages: messagesFromEnvironment(),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays }),
  }),
);
