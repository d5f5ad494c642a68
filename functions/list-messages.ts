/** GET /api/v1/messages: the client's own messages of every channel, newest first, page by page. */
import { dynamo } from '../shared/aws.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { listMessages } from '../shared/message/list-messages.ts';
import { dynamoMessageList } from '../shared/message/message-list.dynamo.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['MESSAGES_TABLE']);

export const handler = httpFunction(
  routes.listMessages,
  listMessages({
    list: dynamoMessageList(dynamo(), env.MESSAGES_TABLE),
    messages: messagesFromEnvironment(),
  }),
);
