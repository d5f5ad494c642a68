/** Sends one SMS: checks the request and stores the message in one write; the relay does the rest. */

import * as z from 'zod/mini';
import { assertMaySend, permissionsOf } from '../../client/permission.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { optional } from '../../operation/request-fields.ts';
import { newId } from '../../platform/ids.ts';
import { recipientSchema, senderSchema } from '../../recipient/phone-number.ts';
import type { Message } from '../message.ts';
import { acceptedView } from '../message-response.ts';
import type { MessageStore } from '../store/message-store.ts';
import { dryRunOf, isDryRun, refusalsOf } from './dry-run.ts';
import { assertMaySendLegs, fallbackSchema, legsToStore } from './fallback-fields.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import { type MessageOrigin, newMessage } from './new-message.ts';
import { segment } from './segments.ts';
import type { SendDependencies } from './send-dependencies.ts';
import {
  endOfValidity,
  messageType,
  parseSend,
  referenceText,
  scheduledAt,
  smsText,
  validityPeriod,
} from './send-fields.ts';

interface SendSmsDependencies extends SendDependencies {
  readonly messages: MessageStore;
}

/** The fields of an SMS, or of many, besides recipients and texts. */
export function smsOptions(webhookUrl: z.ZodMiniType<string>) {
  return {
    webhook_url: optional(webhookUrl),
    from: optional(senderSchema),
    type: messageType,
    validity_period: validityPeriod,
    scheduled_at: optional(scheduledAt),
    reference: optional(referenceText),
  };
}

/** The request body of `POST /api/v1/sms/send` (specification 2.3; contract, section 5). */
export function sendSmsSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    to: recipientSchema,
    message: smsText,
    ...smsOptions(webhookUrl),
    fallback: fallbackSchema(),
  });
}

export type SendSmsRequest = z.output<ReturnType<typeof sendSmsSchema>>;

export function sendSms({
  messages,
  allowanceOf,
  stageCountries,
  sendersOf,
  webhookUrl,
  ...forDryRun
}: SendSmsDependencies): Operation {
  const schema = sendSmsSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data: sms, assertTimely } = parseSend(schema, request);
    const [allowance, select] = await Promise.all([
      allowanceOf(caller.clientId, request),
      sendersOf(caller.clientId),
    ]);
    const assertAllowed = (): void => {
      const permissions = permissionsOf(caller.client, stageCountries);
      assertMaySend(permissions, 'sms', sms.to, sms.from);
      assertMaySendLegs(permissions, sms.fallback, { channel: 'sms', recipient: sms.to, from: sms.from });
    };
    const smsWithId = (messageId: string): Message =>
      newSms({ messageId, clientId: caller.clientId, select }, sms, request.now);
    if (isDryRun(request)) {
      assertTimely();
      const message = smsWithId(newId('msg', request.now));
      const refusals = await refusalsOf([assertAllowed, () => allowance?.check([message])]);
      return dryRunOf(message, forDryRun, refusals);
    }
    const { entry, replayed } = await createOnce(messages, request, {
      prefix: 'msg',
      endpoint: 'sms/send',
      clientId: caller.clientId,
      key,
      meaning: () => sms,
      allowance,
      build: async (messageId) => {
        assertTimely();
        assertAllowed();
        const message = smsWithId(messageId);
        await allowance?.take([message]);
        return message;
      },
    });
    return accepted(acceptedView(entry), replayed, { message_id: entry.message_id });
  };
}

/** The row of a new SMS. */
export function newSms(origin: MessageOrigin, sms: SendSmsRequest, now: Date): Message {
  const message: Message = {
    ...newMessage(
      { ...origin, channel: 'sms', recipient: sms.to, expiresAt: endOfValidity(sms, now) },
      sms,
      now,
    ),
    type: sms.type,
    text: sms.message,
    ...segment(sms.message),
  };
  return { ...message, ...legsToStore(sms.fallback, message, origin.select) };
}
