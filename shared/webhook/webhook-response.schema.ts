/**
 * The schema of the responses about deliveries, resends and webhook endpoints, for the API document and the types (contract,
 * section 12). Functions import only the types.
 */
import * as z from 'zod/mini';
import { rotation, secretText } from '../account/account-response.schema.ts';
import { count, instant } from '../message/message-response.schema.ts';
import { described } from '../operation/fields.ts';
import { attemptFields } from './attempt-record.ts';
import { disabledAfter } from './deliver/disable-endpoint.ts';
import { deliveryStates } from './delivery.ts';
import { resendableStates, resendStatuses } from './log/resend.ts';

const deliverySummarySchema = z.object({
  delivery_id: z.string(),
  client_id: z.string(),
  message_id: described(
    z.nullable(z.string()),
    'The message that the event is about; null if the event is not about a message.',
  ),
  endpoint_id: described(
    z.nullable(z.string()),
    'The endpoint; null if the delivery is for the URL of the message or the account.',
  ),
  event: z.string(),
  url: described(z.string(), 'The URL of the last attempt.'),
  state: described(
    z.enum(deliveryStates),
    '`pending`: due, or waiting for a worker. `attempting`: a worker is posting it. `retry_scheduled`: failed, and a retry is scheduled. `acknowledged`, `failed`: finished. `skipped`: the endpoint is disabled; a resend delivers it after the endpoint is enabled.',
  ),
  attempts: described(count, 'The number of the last attempt; 0 before the first.'),
  created_at: described(instant, 'When the event happened.'),
  finished_at: described(
    z.nullable(instant),
    'When the delivery was acknowledged, failed or was skipped; null until then.',
  ),
  next_due_at: z.nullable(instant),
  last_status: described(z.nullable(z.int()), 'The status of the last response; null if there was none.'),
  last_error: described(
    z.nullable(z.string()),
    'Why the last attempt failed; null if the attempt did not fail.',
  ),
});
export type DeliverySummary = Readonly<z.output<typeof deliverySummarySchema>>;

export const deliveryViewSchema = z.extend(deliverySummarySchema, {
  body: described(z.string(), 'The bytes that every attempt posts, as text.'),
  attempt_log: described(
    z.readonly(z.array(z.readonly(z.object(attemptFields)))),
    'Every attempt, oldest first.',
  ),
});
const deliveryListSchema = z.object({
  webhook_deliveries: described(z.readonly(z.array(deliverySummarySchema)), 'The deliveries.'),
  next_cursor: z.exactOptional(z.string()),
});
export type DeliveryList = Readonly<z.output<typeof deliveryListSchema>>;

const resendViewSchema = z.object({
  resend_id: described(z.string(), 'The identifier of the resend.'),
  status: described(z.enum(resendStatuses), '`matching`, `sending` or `completed`.'),
  endpoint_id: described(z.nullable(z.string()), 'The requested endpoint; null if the request names none.'),
  origin: described(z.nullable(z.string()), 'The requested origin; null if the request names none.'),
  state: described(
    z.enum(resendableStates),
    'Which webhooks are sent again: `failed`, `acknowledged` or `skipped`.',
  ),
  since: described(instant, 'The first time of an event.'),
  until: described(instant, 'The last time of an event.'),
  matched: described(count, 'How many webhooks were found; it grows while the status is `matching`.'),
  resent: described(count, 'How many of the found webhooks have been resent.'),
  skipped: described(
    count,
    'How many of them were acknowledged, or resent by another request, before this request reached them.',
  ),
  created_at: described(instant, 'When the client requested the resend.'),
  completed_at: described(z.nullable(instant), 'When the last webhook was resent; null until then.'),
});
export type ResendView = Readonly<z.output<typeof resendViewSchema>>;

const secret = described(secretText, 'The secret of this endpoint. It is shown only in this response.');

const webhookEndpoint = z.object({
  endpoint_id: z.string(),
  url: described(z.exactOptional(z.string()), 'The URL to which events are posted.'),
  sqs: z.exactOptional(z.object({ queue_arn: z.string(), role_arn: z.string() })),
  eventbridge: z.exactOptional(z.object({ bus_arn: z.string(), role_arn: z.string() })),
  events: z.nullable(z.readonly(z.array(z.string()))),
  description: described(z.nullable(z.string()), 'A description by the client.'),
  timeout_seconds: described(
    z.nullable(z.int()),
    'The time limit of an attempt, in seconds; null for a queue or event bus.',
  ),
  enabled: described(z.boolean(), 'True if the endpoint receives events.'),
  created_at: instant,
  disabled_at: described(z.nullable(instant), 'When the endpoint was disabled; null while it is enabled.'),
  disabled_reason: described(
    z.nullable(z.string()),
    `Why the endpoint is disabled: \`by_client\`, \`gone\` (it answered with status 410), or \`no_successful_delivery\` for ${disabledAfter.days} days and at least ${disabledAfter.attempts} attempts. Null while the endpoint is enabled.`,
  ),
});

export type WebhookEndpointView = z.output<typeof webhookEndpoint>;

export const webhookResponses = {
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpointWithSecret: z.extend(webhookEndpoint, { secret }),
  WebhookEndpointList: z.object({
    webhook_endpoints: described(z.array(webhookEndpoint), 'The endpoints.'),
  }),
  DeletedWebhookEndpoint: z.object({ endpoint_id: z.string(), deleted: z.boolean() }),
  WebhookEndpointSecret: z.object({ endpoint_id: z.string(), secret, ...rotation }),
  WebhookDelivery: deliverySummarySchema,
  WebhookDeliveryWithAttempts: deliveryViewSchema,
  WebhookDeliveryList: deliveryListSchema,
  QueuedResend: z.pick(resendViewSchema, { resend_id: true, matched: true }),
  WebhookResend: resendViewSchema,
  QueuedTestEvent: z.object({ delivery_id: z.string(), endpoint_id: z.string() }),
} as const;
