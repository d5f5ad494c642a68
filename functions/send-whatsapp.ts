/** POST /api/v1/whatsapp/send: stores one WhatsApp message, and answers when it is stored. */

import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendWhatsApp } from '../shared/message/send/send-whatsapp.ts';
import { messagesFromEnvironment } from '../shared/message/store/messages-from-environment.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/post/webhook-url.ts';

export const handler = httpFunction(
  routes.sendWhatsApp,
  sendWhatsApp({ messages: messagesFromEnvironment(), webhookUrl: webhookUrlFromEnvironment() }),
);
