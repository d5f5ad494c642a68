/** The form of the responses about webhook endpoints (contract, section 12). Functions import only the types. */
import * as z from 'zod/mini';
import { rotation, secretText } from '../../account/account-response.schema.ts';
import { instant } from '../../message/message-response.schema.ts';
import { described } from '../../operation/described.ts';
import { disabledAfter } from './webhook-endpoint.ts';

const secret = described(secretText, 'The secret of this endpoint. It is shown this once.');

export const webhookEndpoint = z.object({
  endpoint_id: z.string(),
  url: described(z.exactOptional(z.string()), 'Where it is posted.'),
  sqs: z.exactOptional(z.object({ queue_arn: z.string(), role_arn: z.string() })),
  eventbridge: z.exactOptional(z.object({ bus_arn: z.string(), role_arn: z.string() })),
  events: z.nullable(z.readonly(z.array(z.string()))),
  description: described(z.nullable(z.string()), 'A text for people.'),
  enabled: described(z.boolean(), 'Whether it receives events.'),
  created_at: instant,
  disabled_at: described(z.nullable(instant), 'When it was disabled; null while it is enabled.'),
  disabled_reason: described(
    z.nullable(z.string()),
    `Why it was disabled: \`by_client\`, or \`no_successful_delivery\` for ${disabledAfter.days} days and at least ${disabledAfter.attempts} attempts. Null while it is enabled.`,
  ),
});

export const webhookEndpointWithSecret = z.extend(webhookEndpoint, { secret });

export const webhookEndpointList = z.object({
  webhook_endpoints: described(z.array(webhookEndpoint), 'The endpoints.'),
});

export const deletedWebhookEndpoint = z.object({ endpoint_id: z.string(), deleted: z.boolean() });

export const webhookEndpointSecret = z.object({ endpoint_id: z.string(), secret, ...rotation });

export const queuedTestEvent = z.object({ delivery_id: z.string(), endpoint_id: z.string() });

export type WebhookEndpointView = z.output<typeof webhookEndpoint>;
