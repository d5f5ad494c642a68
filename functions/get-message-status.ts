/** GET /api/v1/sms/status/{message_id}: shows the status of one of the client's messages or batches. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { getStatus } from '../shared/message/status-and-cancel.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'get-message-status'>());

export const handler = httpFunction(context, routes.getMessageStatus, getStatus(context));
