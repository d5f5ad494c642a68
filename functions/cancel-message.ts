/** DELETE /api/v1/messages/{message_id} */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { cancelMessage } from '../shared/message/cancel.ts';
import { dynamoMessageStore } from '../shared/message/message-store.dynamo.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['MESSAGES_TABLE', 'RETENTION_DAYS']);
const table = { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS };

export const handler = httpFunction(routes.cancelMessage, cancelMessage(dynamoMessageStore(dynamo(), table)));
