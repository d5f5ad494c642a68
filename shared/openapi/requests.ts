/** The request bodies that the document describes: the very schemas by which the operations read them. */
import * as z from 'zod';
import { sendSmsSchema } from '../message/send-sms.ts';
import { credentialsInBody } from '../token/client-credentials.ts';

/** Which URLs a deployment takes is a setting; the document says the rule of those on AWS in words. */
const webhookUrl = z.url();

/** By the name under which the document's `components` have them. */
export const requests = {
  TokenRequest: credentialsInBody,
  SendSmsRequest: sendSmsSchema(webhookUrl),
} as const;

export type Requests = typeof requests;
