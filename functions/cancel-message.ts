/** DELETE /api/v1/messages/{message_id}: cancels a scheduled message whose time has not come. */
import { httpFunction } from '../shared/http.ts';
import { cancelMessage } from '../shared/message/cancel.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { routes } from '../shared/routes.ts';

export const handler = httpFunction(routes.cancelMessage, cancelMessage(messagesFromEnvironment()));
