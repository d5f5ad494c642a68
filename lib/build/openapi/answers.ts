/** The schemas of all successful answers; a test checks every answer of the deployed gateway against them. */
import * as z from 'zod/mini';
import {
  acceptedBatch,
  acceptedSms,
  acceptedWhatsApp,
  batchStatus,
  count,
  dryRun,
  dryRunBatch,
  instant,
  messageList,
  messageStatus,
} from '../../../shared/message/message-response.schema.ts';
import {
  removedSuppression,
  suppression,
  suppressionList,
} from '../../../shared/message/suppression/suppression-response.schema.ts';
import { sentOneTimePassword, verification } from '../../../shared/otp/otp-response.schema.ts';
import { usageAnswer } from '../../../shared/usage/usage-response.schema.ts';
import {
  deliveryListSchema,
  deliverySummarySchema,
  deliveryViewSchema,
} from '../../../shared/webhook/log/delivery-response.schema.ts';
import {
  requestedResendSchema,
  resendViewSchema,
} from '../../../shared/webhook/resend/resend-response.schema.ts';

const accessToken = z.object({
  access_token: z.string(),
  token_type: z.string(),
  scope: z.optional(z.string()),
  expires_in: z.int(),
});

const limits = z.object({ per_minute: count, per_hour: count, per_day: count });
const account = z.object({
  client_id: z.string(),
  name: z.string(),
  webhook_url: z.nullable(z.string()),
  limits: z.record(z.string(), limits),
});

/**
 * Of `getMessageStatus`, whose path takes the id of either. One object with the fields of both, because clients of
 * openapi-generator for Java cannot tell two objects apart; a rule of the document says which fields go together.
 */
const messageOrBatch = z.extend(z.partial(z.extend(messageStatus, batchStatus.shape)), {
  created_at: instant,
});

const secret = z.string().check(z.meta({ pattern: '^whsec_' }));
const rotation = { created_at: instant, active_at: instant, previous_secret_expires_at: z.nullable(instant) };
const webhookSecret = z.object({ webhook_secret: secret, ...rotation });

const webhookEndpoint = z.object({
  endpoint_id: z.string(),
  url: z.optional(z.string()),
  sqs: z.optional(z.object({ queue_arn: z.string(), role_arn: z.string() })),
  eventbridge: z.optional(z.object({ bus_arn: z.string(), role_arn: z.string() })),
  events: z.nullable(z.array(z.string())),
  description: z.nullable(z.string()),
  enabled: z.boolean(),
  created_at: instant,
  disabled_at: z.nullable(instant),
  disabled_reason: z.nullable(z.string()),
});
const webhookEndpointWithSecret = z.extend(webhookEndpoint, { secret });
const webhookEndpointSecret = z.object({ endpoint_id: z.string(), secret, ...rotation });

/** By their names in the `components` of the document. */
export const answers = {
  AccessToken: accessToken,
  AcceptedSms: acceptedSms,
  AcceptedWhatsapp: acceptedWhatsApp,
  AcceptedBatch: acceptedBatch,
  DryRun: dryRun,
  DryRunBatch: dryRunBatch,
  Message: messageStatus,
  Batch: batchStatus,
  MessageOrBatch: messageOrBatch,
  MessageList: messageList,
  SentOtp: sentOneTimePassword,
  OtpVerificationResult: verification,
  Account: account,
  Usage: usageAnswer,
  Suppression: suppression,
  SuppressionList: suppressionList,
  DeletedSuppression: removedSuppression,
  WebhookSecret: webhookSecret,
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpointWithSecret: webhookEndpointWithSecret,
  WebhookEndpointList: z.object({ webhook_endpoints: z.array(webhookEndpoint) }),
  DeletedWebhookEndpoint: z.object({ endpoint_id: z.string(), deleted: z.boolean() }),
  WebhookEndpointSecret: webhookEndpointSecret,
  WebhookDelivery: deliverySummarySchema,
  WebhookDeliveryWithAttempts: deliveryViewSchema,
  WebhookDeliveryList: deliveryListSchema,
  QueuedResend: requestedResendSchema,
  WebhookResend: resendViewSchema,
  QueuedTestEvent: z.object({ delivery_id: z.string(), endpoint_id: z.string() }),
} as const;

export type Answers = typeof answers;
