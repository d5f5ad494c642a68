/** Serves all operations under /api/v1/webhook-deliveries: the log of a client's webhooks, and resends. */
import { httpFunctions } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import {
  getWebhookDelivery,
  getWebhookResend,
  listWebhookDeliveries,
  resendWebhookDeliveries,
  resendWebhookDelivery,
} from '../shared/webhook/log/delivery-log.ts';

const context = contextOf(environmentOf<'webhook-deliveries'>());

export const handler = httpFunctions(context, {
  listWebhookDeliveries: listWebhookDeliveries(context),
  getWebhookDelivery: getWebhookDelivery(context),
  resendWebhookDelivery: resendWebhookDelivery(context),
  resendWebhookDeliveries: resendWebhookDeliveries(context),
  getWebhookResend: getWebhookResend(context),
});
