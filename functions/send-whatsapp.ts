/** POST /api/v1/whatsapp/send: stores one WhatsApp message, and answers when it is stored. */
import { httpFunction } from '../shared/http.ts';
import { messagesFromEnvironment } from '../shared/message/from-environment.ts';
import { sendWhatsApp } from '../shared/message/send-whatsapp.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/webhook-url.ts';

export const handler = httpFunction(
  routes.sendWhatsApp,
  sendWhatsApp({ messages: messagesFromEnvironment(), webhookUrl: webhookUrlFromEnvironment() }),
);
