/** Serves all operations under /api/v1/webhook-deliveries: the log of a client's webhooks, and resends. */
import { randomUUID } from 'node:crypto';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { reportFailedDelivery } from '../shared/webhook/deliver/alert-failure.ts';
import { sqsDeliveryQueue } from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoDeliveryStore, dynamoResendStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoEndpointReader } from '../shared/webhook/endpoint-store.dynamo.ts';
import {
  getWebhookDelivery,
  getWebhookResend,
  listWebhookDeliveries,
  resendWebhookDeliveries,
  resendWebhookDelivery,
} from '../shared/webhook/log/delivery-operations.ts';

const env = environmentOf<'webhook-deliveries'>();

const queue = sqsDeliveryQueue(sqs(), {
  first: env.WEBHOOKS_QUEUE_URL,
  retries: env.WEBHOOK_RETRIES_QUEUE_URL,
});
const dependencies = {
  ...contextOf(env),
  deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  resends: dynamoResendStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  endpoints: dynamoEndpointReader(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE),
  activityLog: activityLogFrom(env),
  queue,
  newRevision: randomUUID,
  reportFailedDelivery,
  retentionDays: env.RETENTION_DAYS,
};

const operations = {
  listWebhookDeliveries: listWebhookDeliveries(dependencies),
  getWebhookDelivery: getWebhookDelivery(dependencies),
  resendWebhookDelivery: resendWebhookDelivery(dependencies),
  resendWebhookDeliveries: resendWebhookDeliveries(dependencies),
  getWebhookResend: getWebhookResend(dependencies),
};

export const handler = httpFunctions(contextOf(env), operations);
