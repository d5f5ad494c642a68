/** Sends one SMS: the request with its schema, and the message that is stored. */

import * as z from 'zod/mini';
import { recipientSchema, senderSchema } from '../../contract/phone-number.ts';
import { optional } from '../../operation/fields.ts';
import type { Operation } from '../../operation/operation.ts';
import type { Message } from '../message.ts';
import { smsContent } from '../smart-encoding.ts';
import {
  endOfValidity,
  fallbackSchema,
  legsToStore,
  messageType,
  referenceText,
  scheduledAt,
  smsText,
  validityPeriod,
} from './send-fields.ts';
import { type MessageOrigin, newMessage, type SendContext, sendOne } from './send-one.ts';

/** Returns the request fields that single and bulk SMS share, without recipients and texts. */
export function smsOptions(webhookUrl: z.ZodMiniType<string>) {
  return {
    webhook_url: optional(webhookUrl),
    from: optional(senderSchema),
    type: messageType,
    validity_period: validityPeriod,
    scheduled_at: optional(scheduledAt),
    reference: optional(referenceText),
    smart_encoding: optional(z.boolean()),
  };
}

/** Returns the schema of the body of `POST /api/v1/sms/send` (contract, section 5). */
export function sendSmsSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    to: recipientSchema,
    message: smsText,
    ...smsOptions(webhookUrl),
    fallback: fallbackSchema(),
  });
}

/** @param webhookUrl - accepts URLs that this deployment may call */
export function sendSms(context: SendContext, webhookUrl: z.ZodMiniType<string>): Operation {
  const schema = sendSmsSchema(webhookUrl);
  return sendOne(context, { channel: 'sms', schema, newMessage: newSms });
}

export function newSms(
  origin: MessageOrigin,
  sms: z.output<ReturnType<typeof sendSmsSchema>>,
  now: Date,
): Message {
  const message: Message = {
    ...newMessage(
      { ...origin, channel: 'sms', recipient: sms.to, expiresAt: endOfValidity(sms, now) },
      sms,
      now,
    ),
    type: sms.type,
    text: sms.message,
  };
  return {
    ...message,
    ...smsContent(sms.message, origin.smart_encoding),
    // A WhatsApp leg has the text as given.
    ...legsToStore(sms.fallback, message, origin.select),
  };
}
