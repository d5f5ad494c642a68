/** The schemas of all successful responses; a test checks every response of the deployed gateway against them. */
import * as z from 'zod/mini';
import { account, webhookSecret } from '../../../shared/account/account-response.schema.ts';
import {
  acceptedBatch,
  acceptedSms,
  acceptedWhatsApp,
  batchStatus,
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
import { described } from '../../../shared/operation/described.ts';
import { sentOneTimePassword, verification } from '../../../shared/otp/otp-response.schema.ts';
import { usageResponse } from '../../../shared/usage/usage-response.schema.ts';
import {
  deletedWebhookEndpoint,
  deliveryListSchema,
  deliverySummarySchema,
  deliveryViewSchema,
  queuedTestEvent,
  requestedResendSchema,
  resendViewSchema,
  webhookEndpoint,
  webhookEndpointList,
  webhookEndpointSecret,
  webhookEndpointWithSecret,
} from '../../../shared/webhook/webhook-response.schema.ts';

const accessToken = z.object({
  access_token: described(z.string(), 'A JWT (ES256), to be sent as `Authorization: Bearer <access_token>`.'),
  token_type: described(z.string(), 'Always `bearer`.'),
  scope: described(
    z.optional(z.string()),
    'The scopes of the token, separated by spaces; only where the request asked for some.',
  ),
  expires_in: described(z.int(), 'The lifetime in seconds.'),
});

/**
 * The response of `getMessageStatus`, whose path takes the id of a message or a batch. It is one object with the fields
 * of both, because clients of openapi-generator for Java cannot tell two objects apart; a rule of the document says
 * which fields go together.
 */
const messageOrBatch = z.extend(z.partial(z.extend(messageStatus, batchStatus.shape)), {
  created_at: instant,
});

/** The response schemas by their names in the `components` of the document. */
export const responseSchemas = {
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
  Usage: usageResponse,
  Suppression: suppression,
  SuppressionList: suppressionList,
  DeletedSuppression: removedSuppression,
  WebhookSecret: webhookSecret,
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpointWithSecret: webhookEndpointWithSecret,
  WebhookEndpointList: webhookEndpointList,
  DeletedWebhookEndpoint: deletedWebhookEndpoint,
  WebhookEndpointSecret: webhookEndpointSecret,
  WebhookDelivery: deliverySummarySchema,
  WebhookDeliveryWithAttempts: deliveryViewSchema,
  WebhookDeliveryList: deliveryListSchema,
  QueuedResend: requestedResendSchema,
  WebhookResend: resendViewSchema,
  QueuedTestEvent: queuedTestEvent,
} as const;

export type ResponseSchemas = typeof responseSchemas;
