/** Serves all operations under /api/v1/webhook-endpoints, because they need the same permissions. */
import { randomBytes, randomUUID } from 'node:crypto';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { dynamoWebhookSecretStore } from '../shared/client/webhook-secrets.dynamo.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { dynamo, sqs } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';
import { awsDestinationSchemas } from '../shared/webhook/aws-destination.ts';
import { sqsDeliveryQueue } from '../shared/webhook/delivery-queue.sqs.ts';
import { dynamoDeliveryStore } from '../shared/webhook/delivery-store.dynamo.ts';
import { dynamoEndpointStore } from '../shared/webhook/endpoint-store.dynamo.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointDependencies,
  getEndpoint,
  listEndpoints,
  rotateOwnEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from '../shared/webhook/manage-endpoints.ts';

const env = environmentOf<'webhook-endpoints'>();

const dependencies: EndpointDependencies = {
  endpoints: dynamoEndpointStore(dynamo(), env.WEBHOOK_ENDPOINTS_TABLE, env.CLIENT_SECRETS_TABLE),
  webhookSecrets: dynamoWebhookSecretStore(dynamo(), env.CLIENT_SECRETS_TABLE),
  destinations: {
    url: webhookUrlFrom(env),
    ...awsDestinationSchemas({ partition: env.GATEWAY_PARTITION, account: env.GATEWAY_ACCOUNT }),
  },
  deliveries: dynamoDeliveryStore(dynamo(), env.WEBHOOK_DELIVERIES_TABLE),
  queue: sqsDeliveryQueue(sqs(), { first: env.WEBHOOKS_QUEUE_URL, retries: env.WEBHOOK_RETRIES_QUEUE_URL }),
  activityLog: activityLogFrom(env),
  clock: systemClock,
  random: randomBytes,
  newRevision: randomUUID,
  retentionDays: env.RETENTION_DAYS,
};

const operations = {
  createWebhookEndpoint: createEndpoint(dependencies),
  listWebhookEndpoints: listEndpoints(dependencies),
  getWebhookEndpoint: getEndpoint(dependencies),
  updateWebhookEndpoint: updateEndpoint(dependencies),
  deleteWebhookEndpoint: deleteEndpoint(dependencies),
  rotateWebhookEndpointSecret: rotateOwnEndpointSecret(dependencies),
  testWebhookEndpoint: testEndpoint(dependencies),
};

export const handler = httpFunctions(contextOf(env), operations);
