/** The request bodies that the document describes: the very schemas by which the operations read them. */
import * as z from 'zod/mini';
import { updateAccountSchema } from '../../../shared/account/account.ts';
import { credentialsInBody } from '../../../shared/http/client-credentials.ts';
import { sendBulkSchema } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSmsSchema } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsAppSchema } from '../../../shared/message/send/send-whatsapp.ts';
import { sendOtpSchema } from '../../../shared/otp/send-otp.ts';
import { verifyOtpSchema } from '../../../shared/otp/verify-otp.ts';

/** Which URLs a deployment takes is a setting; the document says the rule of those on AWS in words. */
const webhookUrl = z.url();

/** By the name under which the document's `components` have them. */
export const requests = {
  TokenRequest: credentialsInBody,
  SendSmsRequest: sendSmsSchema(webhookUrl),
  SendBulkSmsRequest: sendBulkSchema(webhookUrl),
  SendWhatsAppRequest: sendWhatsAppSchema(webhookUrl),
  SendOtpRequest: sendOtpSchema(webhookUrl),
  VerifyOtpRequest: verifyOtpSchema,
  UpdateAccountRequest: updateAccountSchema(webhookUrl),
} as const;

export type Requests = typeof requests;
