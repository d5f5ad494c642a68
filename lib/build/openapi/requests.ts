/** The request bodies of the document: the schemas with which the operations parse them. */
import * as z from 'zod/mini';
import { updateAccountSchema } from '../../../shared/account/account.ts';
import { credentialsInBody } from '../../../shared/http/client-credentials.ts';
import { sendBulkSchema } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSmsSchema } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsAppSchema } from '../../../shared/message/send/send-whatsapp.ts';
import { sendOtpSchema } from '../../../shared/otp/send-otp.ts';
import { verifyOtpSchema } from '../../../shared/otp/verify-otp.ts';

/** Which URLs are allowed is a setting of the stage; the document describes the rule on AWS. */
const webhookUrl = z.url();

/** By their name in `components.schemas`. */
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
