/** POST /api/v1/sms/bulk: stores an SMS for each valid row, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendBulkSms } from '../shared/message/send/send-bulk.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'send-bulk-sms'>());

export const handler = httpFunction(
  context,
  routes.sendBulkSms,
  sendBulkSms(context, webhookUrlFrom(context.env)),
);
