/** DELETE /api/v1/messages/{message_id}: cancels a scheduled message before its time. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { cancelMessage } from '../shared/message/status-and-cancel.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'cancel-message'>());

export const handler = httpFunction(context, routes.cancelMessage, cancelMessage(context));
