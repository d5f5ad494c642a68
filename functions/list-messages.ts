/** GET /api/v1/messages: lists the client's own messages of every channel, newest first, page by page. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/client-guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { listMessages } from '../shared/message/lookup/list-messages.ts';
import { dynamoMessageList } from '../shared/message/store/message-list.dynamo.ts';
import { messagesFrom } from '../shared/message/store/message-store.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'list-messages'>();

export const handler = httpFunction(
  routes.listMessages,
  listMessages({
    list: dynamoMessageList(dynamo(), env.MESSAGES_TABLE),
    messages: messagesFrom(env),
  }),
  { dependencies: httpDependencies(env) },
);
