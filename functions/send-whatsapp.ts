/** POST /api/v1/whatsapp/send: stores one WhatsApp message, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendWhatsApp } from '../shared/message/send/whatsapp-send.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'send-whatsapp'>());

export const handler = httpFunction(
  context,
  routes.sendWhatsApp,
  sendWhatsApp(context, webhookUrlFrom(context.env)),
);
