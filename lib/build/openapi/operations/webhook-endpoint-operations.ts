/** The operations on the client's webhook endpoints. */

import { previousSecretHours } from '../../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../../shared/client/webhook-secrets.dynamo.ts';
import { messageEventNames } from '../../../../shared/contract/webhook-events.ts';
import { disabledAfter } from '../../../../shared/webhook/deliver/disable-endpoint.ts';
import { endpointsMax } from '../../../../shared/webhook/webhook-endpoint.ts';
import type { Description, SuccessResponse } from '../description.ts';
import { noStore } from '../headers.ts';
import {
  createdAt,
  deliveryId,
  endpointId,
  example,
  rotation,
  webhookSecret as secret,
  secretRotation,
} from './examples.ts';
import { inPath } from './parameters.ts';

const endpointIdInPath = inPath('endpoint_id', 'The identifier of the endpoint.', endpointId);

const endpoint = {
  endpoint_id: endpointId,
  url: 'https://example.com/webhooks/delivered',
  events: ['sms.delivered', 'whatsapp.*'],
  description: 'The order service',
  timeout_seconds: 5,
  enabled: true,
  created_at: createdAt,
  disabled_at: null,
  disabled_reason: null,
};

const shown: SuccessResponse = {
  description: 'The endpoint.',
  schema: 'WebhookEndpoint',
  examples: { endpoint: example('An endpoint', endpoint) },
};

export const createWebhookEndpoint: Description = {
  summary: 'Create an endpoint',
  description: `Adds an endpoint that receives every event that matches \`events\`, in addition to the URL of the message or the account. It is a \`url\`, or a queue (\`sqs\`) or event bus (\`eventbridge\`) in your own AWS account. Each endpoint has its own deliveries, retries and secret; the secret is shown once. A client can have ${endpointsMax} endpoints.`,
  request: {
    schema: 'WebhookEndpointSettings',
    examples: {
      every: example('Every event', { url: 'https://example.com/webhooks' }),
      filtered: example('Some events', {
        url: endpoint.url,
        events: endpoint.events,
        description: endpoint.description,
      }),
      queue: example('An Amazon SQS queue', {
        sqs: {
          queue_arn: 'arn:aws:sqs:eu-west-1:123456789012:webhooks',
          role_arn: 'arn:aws:iam::123456789012:role/messaging-gateway-webhooks',
        },
      }),
      bus: example('An Amazon EventBridge event bus', {
        eventbridge: {
          bus_arn: 'arn:aws:events:eu-west-1:123456789012:event-bus/webhooks',
          role_arn: 'arn:aws:iam::123456789012:role/messaging-gateway-webhooks',
        },
      }),
    },
  },
  response: {
    status: 201,
    description: 'The new endpoint, with its secret.',
    headers: noStore,
    schema: 'WebhookEndpointWithSecret',
    examples: { created: example('A new endpoint', { ...endpoint, secret }) },
  },
  errors: ['endpoint_limit_reached'],
};

export const listWebhookEndpoints: Description = {
  summary: 'List the endpoints',
  description: 'All endpoints of the client, the oldest first, without their secrets.',
  response: {
    description: 'The endpoints.',
    schema: 'WebhookEndpointList',
    examples: { list: example('One endpoint', { webhook_endpoints: [endpoint] }) },
  },
};

export const getWebhookEndpoint: Description = {
  summary: 'Show an endpoint',
  description: 'The settings of one endpoint, without its secret.',
  parameters: [endpointIdInPath],
  response: shown,
  errors: ['not_found'],
};

export const updateWebhookEndpoint: Description = {
  summary: 'Change an endpoint',
  description: `Changes the given fields. A change of \`events\` or \`enabled\` applies from the next event; retries go to the new \`url\`. A disabled endpoint gets no events; they are kept in the state \`skipped\`, and a resend delivers them after the endpoint is enabled. The gateway disables an endpoint that has acknowledged nothing for ${disabledAfter.days} days in at least ${disabledAfter.attempts} attempts, or that answered 410, and sends \`webhook_endpoint.disabled\` to the client’s other endpoints; \`{"enabled": true}\` enables it again.`,
  parameters: [endpointIdInPath],
  request: {
    schema: 'WebhookEndpointUpdate',
    examples: {
      filter: example('Other events', { events: ['sms.failed', 'sms.expired'] }),
      every: example('Every event', { events: null }),
      enable: example('Enable it again', { enabled: true }),
    },
  },
  response: shown,
  errors: ['not_found'],
};

export const deleteWebhookEndpoint: Description = {
  summary: 'Delete an endpoint',
  description:
    'Deletes the endpoint and its secrets. After that, nothing is posted to the endpoint, including retries.',
  parameters: [endpointIdInPath],
  response: {
    description: 'It is deleted.',
    schema: 'DeletedWebhookEndpoint',
    examples: {
      deleted: example('Deleted', { endpoint_id: endpointId, deleted: true }),
    },
  },
  errors: ['not_found'],
};

export const rotateWebhookEndpointSecret: Description = {
  summary: 'Issue a new secret',
  description: `Issues a new secret for one endpoint and shows it once. It signs from \`active_at\` on, at most ${secretActiveAfterSeconds} seconds later. For ${previousSecretHours} hours after that, or for \`overlap_hours\`, the old secret signs, too.`,
  parameters: [endpointIdInPath],
  request: secretRotation,
  response: {
    description: 'The new secret.',
    headers: noStore,
    schema: 'WebhookEndpointSecret',
    examples: {
      secret: example('A new secret', { endpoint_id: endpointId, secret, ...rotation }),
    },
  },
  errors: ['not_found', 'secret_limit_reached', 'concurrent_change'],
};

export const testWebhookEndpoint: Description = {
  summary: 'Send a test event',
  description: `Sends a real, signed webhook with \`"test": true\` in \`data\`, about a message that does not exist. The webhook is retried like any other. \`event\` is one of ${messageEventNames.map((name) => `\`${name}\``).join(', ')}; by default one that the endpoint receives. The event need not match \`events\`.`,
  parameters: [endpointIdInPath],
  request: {
    schema: 'TestEvent',
    optional: true,
    examples: {
      any: example('Any event', {}),
      failed: example('A failed SMS', { event: 'sms.failed' }),
    },
  },
  response: {
    status: 202,
    description: 'The webhook is queued.',
    schema: 'QueuedTestEvent',
    examples: {
      queued: example('Queued', { delivery_id: deliveryId, endpoint_id: endpointId }),
    },
  },
  errors: ['not_found', 'endpoint_disabled'],
};
