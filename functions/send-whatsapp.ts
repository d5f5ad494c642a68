/** POST /api/v1/whatsapp/send: stores one WhatsApp message, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendDependencies } from '../shared/message/send/send-one.ts';
import { sendWhatsApp } from '../shared/message/send/send-whatsapp.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const env = environmentOf<'send-whatsapp'>();

export const handler = httpFunction(
  routes.sendWhatsApp,
  sendWhatsApp(sendDependencies(env, webhookUrlFrom(env))),
  {
    dependencies: httpDependencies(env),
  },
);
