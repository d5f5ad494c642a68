/** POST /api/v1/sms/send: stores one SMS, and answers when it is stored. */
import { httpFunction } from '../shared/http.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sendSms } from '../shared/message/send-sms.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/webhook-url.ts';

export const handler = httpFunction(
  routes.sendSms,
  sendSms({ messages: messagesFromEnvironment(), webhookUrl: webhookUrlFromEnvironment() }),
);
