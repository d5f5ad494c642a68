/** POST /api/v1/sms/send: stores one SMS, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendSms } from '../shared/message/send/sms-send.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'send-sms'>());

export const handler = httpFunction(context, routes.sendSms, sendSms(context, webhookUrlFrom(context.env)));
