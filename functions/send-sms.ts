/** POST /api/v1/sms/send: stores one SMS, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendDependencies } from '../shared/message/send/send-one.ts';
import { sendSms } from '../shared/message/send/send-sms.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const env = environmentOf<'send-sms'>();

export const handler = httpFunction(routes.sendSms, sendSms(sendDependencies(env, webhookUrlFrom(env))), {
  dependencies: httpDependencies(env),
});
