/** POST /api/v1/sms/send: stores one SMS, and answers when it is stored. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendSms } from '../shared/message/send/send-sms.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/post/webhook-url.ts';

export const handler = httpFunction(
  routes.sendSms,
  sendSms({ messages: messagesFromEnvironment(), webhookUrl: webhookUrlFromEnvironment() }),
);
