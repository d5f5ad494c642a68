/** The request bodies in the API document, with the schemas by which the operations parse requests. */
import * as z from 'zod/mini';
import { updateAccountSchema } from '../../../shared/account/own-account.ts';
import { secretRotationBody } from '../../../shared/client/client-admin.ts';
import { credentialsInBody } from '../../../shared/http/authenticate-by-credentials.ts';
import { sendBulkSchema } from '../../../shared/message/send/send-bulk.ts';
import { sendSmsSchema } from '../../../shared/message/send/sms-send.ts';
import { sendWhatsAppSchema } from '../../../shared/message/send/whatsapp-send.ts';
import { suppressionBody } from '../../../shared/message/suppression/manage-suppressions.ts';
import { sendOtpSchema } from '../../../shared/otp/otp-request.ts';
import { verifyOtpSchema } from '../../../shared/otp/verify-password.ts';
import { urlLengthMax } from '../../../shared/webhook/address-guard.ts';
import { arnLengthMax } from '../../../shared/webhook/aws-destination.ts';
import { resendRequestSchema } from '../../../shared/webhook/log/request-resend.ts';
import {
  endpointChangeSchema,
  newEndpointSchema,
  testRequestSchema,
} from '../../../shared/webhook/manage-endpoints.ts';

/** The stage's settings decide which URLs are allowed. The document describes the default on AWS. */
const webhookUrl = z.url().check(z.maxLength(urlLengthMax));
const partition = 'arn:aws(-cn|-us-gov)?';
const region = '[a-z]{2}(-[a-z]+){1,2}-[0-9]{1,2}';
const account = '[0-9]{12}';
const arn = (format: string, pattern: string) =>
  z.string().check(z.maxLength(arnLengthMax), z.meta({ format, pattern: `^${pattern}$` }));
const queueArn = arn('queue-arn', `${partition}:sqs:${region}:${account}:[A-Za-z0-9_-]{1,80}(\\.fifo)?`);
const busArn = arn('bus-arn', `${partition}:events:${region}:${account}:event-bus/[A-Za-z0-9._/-]{1,256}`);
const roleArn = arn('role-arn', `${partition}:iam::${account}:role/.+`);
const destinations = {
  url: webhookUrl,
  sqs: z.object({ queue_arn: queueArn, role_arn: roleArn }),
  eventbridge: z.object({ bus_arn: busArn, role_arn: roleArn }),
};

/** The request schemas by their names in `components.schemas`. */
export const requests = {
  TokenRequest: credentialsInBody,
  SmsMessage: sendSmsSchema(webhookUrl),
  BulkSms: sendBulkSchema(webhookUrl),
  WhatsappMessage: sendWhatsAppSchema(webhookUrl),
  OtpMessage: sendOtpSchema(webhookUrl),
  OtpVerification: verifyOtpSchema,
  AccountUpdate: updateAccountSchema(webhookUrl),
  SecretRotation: secretRotationBody,
  SuppressionUpdate: suppressionBody,
  WebhookEndpointSettings: newEndpointSchema(destinations),
  WebhookEndpointUpdate: endpointChangeSchema(destinations),
  TestEvent: testRequestSchema,
  WebhookSelection: resendRequestSchema,
} as const;
