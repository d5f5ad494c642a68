/**
 * Sends WhatsApp messages by AWS End User Messaging Social. The SDK call has no idempotency token, so it is not retried
 * (see `aws-sms.ts`).
 */
import { SendWhatsAppMessageCommand, SocialMessagingClient } from '@aws-sdk/client-socialmessaging';
import { expectedPrice, type PriceTable } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver, HandOverRequest } from '../../message/dispatch/carrier.ts';
import { sentOnce } from '../../platform/aws/clients.ts';
import { refusedWith, type VendorErrors } from '../carrier-module.ts';
import { metaApiVersion, whatsAppPayload } from '../whatsapp-payload.ts';
import { outcomeOfError } from './call-errors.ts';

export const whatsAppErrors: VendorErrors = {
  InvalidParametersException: { code: 'content_rejected' },
  ValidationException: { code: 'content_rejected' },
  ResourceNotFoundException: { code: 'sender_rejected', elsewhere: true },
};

/** The format of phone number ids in AWS. A row of `senders` may instead contain Meta's id of the number. */
const ownNumber = /^phone-number-id-/;

export function awsWhatsApp(settings: {
  /** The default sender, for messages whose sender no row of `senders` names. */
  readonly phoneNumberId: string;
  /**
   * The approved authentication template for one-time passwords, as `name/language`. If it is absent, passwords are sent as
   * text.
   */
  readonly otpTemplate?: string | undefined;
  readonly prices: PriceTable;
  readonly timeLimitMs: number;
}): Carrier {
  const client = new SocialMessagingClient(sentOnce());

  async function handOver(request: HandOverRequest): Promise<HandOver> {
    const number = fromOf(request.message) ?? settings.phoneNumberId;
    if (!ownNumber.test(number)) return refusedWith({ code: 'sender_rejected', elsewhere: true });
    const command = new SendWhatsAppMessageCommand({
      originationPhoneNumberId: number,
      metaApiVersion,
      message: new TextEncoder().encode(JSON.stringify(whatsAppPayload(request, settings.otpTemplate))),
    });
    try {
      const response = await client.send(command, { abortSignal: AbortSignal.timeout(settings.timeLimitMs) });
      if (response.messageId === undefined) throw new Error('the carrier answered without a message id');
      return {
        outcome: 'accepted',
        carrierMessageId: response.messageId,
        ...expectedPrice(settings.prices, request.message),
      };
    } catch (error) {
      return outcomeOfError(error, whatsAppErrors);
    }
  }

  return { defaultSender: async () => settings.phoneNumberId, handOver };
}
