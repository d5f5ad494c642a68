/** DELETE /api/v1/messages/{message_id}: cancels a scheduled message whose time has not come. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { cancelMessage } from '../shared/message/status/cancel-message.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';

export const handler = httpFunction(routes.cancelMessage, cancelMessage(messagesFromEnvironment()));
