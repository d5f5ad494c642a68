/** GET /api/v1/messages */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { listMessages } from '../shared/message/list-messages.ts';
import { dynamoMessageList } from '../shared/message/message-list.dynamo.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'RETENTION_DAYS']);
const table = { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS };

export const handler = httpFunction(
  routes.listMessages,
  listMessages({
    list: dynamoMessageList(dynamo(), env.MESSAGES_TABLE),
    messages: dynamoMessageStore(dynamo(), table),
  }),
);
