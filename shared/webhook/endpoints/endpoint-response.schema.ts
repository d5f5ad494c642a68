/** The form of the answers about webhook endpoints (contract, section 12). Functions import only the types. */
import * as z from 'zod/mini';
import { rotation, secretText } from '../../account/account-response.schema.ts';
import { instant } from '../../message/message-response.schema.ts';

export const webhookEndpoint = z.object({
  endpoint_id: z.string(),
  url: z.exactOptional(z.string()),
  sqs: z.exactOptional(z.object({ queue_arn: z.string(), role_arn: z.string() })),
  eventbridge: z.exactOptional(z.object({ bus_arn: z.string(), role_arn: z.string() })),
  events: z.nullable(z.readonly(z.array(z.string()))),
  description: z.nullable(z.string()),
  enabled: z.boolean(),
  created_at: instant,
  disabled_at: z.nullable(instant),
  disabled_reason: z.nullable(z.string()),
});

export const webhookEndpointWithSecret = z.extend(webhookEndpoint, { secret: secretText });

export const webhookEndpointList = z.object({ webhook_endpoints: z.array(webhookEndpoint) });

export const deletedWebhookEndpoint = z.object({ endpoint_id: z.string(), deleted: z.boolean() });

export const webhookEndpointSecret = z.object({ endpoint_id: z.string(), secret: secretText, ...rotation });

export const queuedTestEvent = z.object({ delivery_id: z.string(), endpoint_id: z.string() });

export type WebhookEndpointView = z.output<typeof webhookEndpoint>;
