/**
 * Reads the payload that AWS End User Messaging SMS publishes to the two-way topic of a phone number. It has no time, so
 * the time of the notification around it is used, which a repeated delivery of it keeps.
 */
import * as z from 'zod/mini';
import type { InboundMessage } from '../../message/receive/inbound-message.ts';
import { inboundNumber } from './inbound-number.ts';

/** E.164 has at most 15 digits. */
const number = z.string().check(z.regex(/^\D*(?:\d\D*){1,15}$/), z.maxLength(32));

export const twoWaySms = z.object({
  originationNumber: number,
  destinationNumber: number,
  messageBody: z.string(),
  inboundMessageId: z.string().check(z.minLength(1)),
  /** The message that the person answers. */
  previousPublishedMessageId: z.nullish(z.string()),
});

export function inboundOfTwoWaySms(sms: z.output<typeof twoWaySms>, notifiedAt: Date): InboundMessage {
  return {
    channel: 'sms',
    carrierMessageId: sms.inboundMessageId,
    person: inboundNumber(sms.originationNumber),
    number: inboundNumber(sms.destinationNumber),
    receivedAt: notifiedAt,
    text: sms.messageBody,
    ...(sms.previousPublishedMessageId ? { repliesTo: sms.previousPublishedMessageId } : {}),
  };
}
