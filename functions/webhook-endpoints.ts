/** Serves all operations under /api/v1/webhook-endpoints, because they need the same permissions. */
import { randomBytes } from 'node:crypto';
import { httpFunctions } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';
import { awsDestinationSchemas } from '../shared/webhook/aws-destination.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointsContext,
  getEndpoint,
  listOwnEndpoints,
  rotateOwnEndpointSecret,
  testOwnEndpoint,
  updateEndpoint,
} from '../shared/webhook/manage-endpoints.ts';

const base = contextOf(environmentOf<'webhook-endpoints'>());
const { env } = base;
const context: EndpointsContext = {
  ...base,
  random: randomBytes,
  destinations: {
    url: webhookUrlFrom(env),
    ...awsDestinationSchemas(env),
  },
};

export const handler = httpFunctions(base, {
  createWebhookEndpoint: createEndpoint(context),
  listWebhookEndpoints: listOwnEndpoints(context),
  getWebhookEndpoint: getEndpoint(context),
  updateWebhookEndpoint: updateEndpoint(context),
  deleteWebhookEndpoint: deleteEndpoint(context),
  rotateWebhookEndpointSecret: rotateOwnEndpointSecret(context),
  testWebhookEndpoint: testOwnEndpoint(context),
});
