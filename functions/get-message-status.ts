/** GET /api/v1/sms/status/{message_id}: how one of the client's own messages, or a batch, stands now. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { dynamoBatchStore } from '../shared/message/send/batch-store.dynamo.ts';
import { getStatus } from '../shared/message/status/get-status.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const env = readEnvironment(['BATCHES_TABLE', 'RETENTION_DAYS']);
const retentionDays = env.RETENTION_DAYS;

export const handler = httpFunction(
  routes.getMessageStatus,
  getStatus({
    messages: messagesFromEnvironment(),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays }),
  }),
);
