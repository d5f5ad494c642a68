/**
 * Sends SMS by AWS End User Messaging. The SDK call is not retried: AWS has no idempotency token, so it may have sent the
 * message even if its response was lost. Another attempt needs a new claim.
 */
import {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type SendTextMessageCommandInput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { expectedPrice, type PriceTable } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver, HandOverRequest } from '../../message/dispatch/carrier.ts';
import type { Message } from '../../message/message.ts';
import { sentOnce } from '../../platform/aws/clients.ts';
import type { Clock } from '../../platform/clock.ts';
import { type VendorErrors, validitySecondsFor } from '../carrier-module.ts';
import { awsDescriptor } from './aws-descriptor.ts';
import { outcomeOfError } from './call-errors.ts';

/**
 * The errors of the call. A country that a protect configuration blocks is not a fault, because the operator chose to block
 * it.
 */
export const smsErrors: VendorErrors = {
  'ConflictException/DESTINATION_PHONE_NUMBER_OPTED_OUT': { code: 'recipient_opted_out' },
  'ConflictException/DESTINATION_PHONE_NUMBER_NOT_VERIFIED': { code: 'invalid_recipient', elsewhere: true },
  'ConflictException/DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION': { code: 'country_not_supported' },
  'ConflictException/DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE': {
    code: 'carrier_blocked',
  },
  'ConflictException/NO_ORIGINATION_IDENTITIES_FOUND': { code: 'sender_rejected', elsewhere: true },
  'ConflictException/MESSAGE_TYPE_MISMATCH': { code: 'sender_rejected', elsewhere: true },
  'ConflictException/NUMBER_CAPABILITIES_MISMATCH': { code: 'sender_rejected', elsewhere: true },
  ConflictException: { code: 'carrier_rejected' },
  'ValidationException/INVALID_IDENTITY_FOR_DESTINATION_COUNTRY': {
    code: 'sender_rejected',
    elsewhere: true,
  },
  'ValidationException/SENDER_ID_NOT_REGISTERED': { code: 'sender_rejected', elsewhere: true },
  'ValidationException/SENDER_ID_NOT_SUPPORTED': { code: 'sender_rejected', elsewhere: true },
  'ValidationException/SENDER_ID_REQUIRES_REGISTRATION': { code: 'sender_rejected', elsewhere: true },
  'ValidationException/COUNTRY_NOT_ENABLED': { code: 'country_not_supported', elsewhere: true },
  'ValidationException/DESTINATION_COUNTRY_BLOCKED': { code: 'country_not_supported' },
  'ValidationException/INTERNATIONAL_SENDING_NOT_SUPPORTED': {
    code: 'country_not_supported',
    elsewhere: true,
  },
  'ValidationException/PRICE_OVER_THRESHOLD': { code: 'spend_limit_reached', elsewhere: true },
  'ValidationException/MAXIMUM_SIZE_EXCEEDED': { code: 'content_rejected' },
  ValidationException: { code: 'carrier_rejected' },
  ServiceQuotaExceededException: { code: 'spend_limit_reached', elsewhere: true },
  ResourceNotFoundException: { code: 'sender_rejected', elsewhere: true },
  'AccessDeniedException/ACCOUNT_DISABLED': { code: 'carrier_rejected', elsewhere: true },
  'AccessDeniedException/INSUFFICIENT_ACCOUNT_REPUTATION': { code: 'carrier_rejected', elsewhere: true },
};

export function awsSms(
  settings: {
    /** The default sender, for messages that were stored without a sender. */
    readonly originationIdentity: string;
    /** The event destination of this configuration set publishes the receipts. */
    readonly configurationSet: string;
    readonly prices: PriceTable;
    readonly timeLimitMs: number;
  },
  clock: Clock,
): Carrier {
  const client = new PinpointSMSVoiceV2Client(sentOnce());

  async function handOver({ message, body, attempt }: HandOverRequest): Promise<HandOver> {
    try {
      const command = new SendTextMessageCommand(requestFor(message, body.text, attempt.id));
      const response = await client.send(command, { abortSignal: AbortSignal.timeout(settings.timeLimitMs) });
      if (response.MessageId === undefined) throw new Error('the carrier answered without a message id');
      return {
        outcome: 'accepted',
        carrierMessageId: response.MessageId,
        ...expectedPrice(settings.prices, message),
      };
    } catch (error) {
      return outcomeOfError(error, smsErrors);
    }
  }

  function requestFor(message: Message, body: string, attemptId: string): SendTextMessageCommandInput {
    return {
      DestinationPhoneNumber: message.recipient,
      OriginationIdentity: fromOf(message) ?? settings.originationIdentity,
      MessageBody: body,
      MessageType: message.type === 'promotional' ? 'PROMOTIONAL' : 'TRANSACTIONAL',
      ConfigurationSetName: settings.configurationSet,
      TimeToLive: validitySecondsFor(awsDescriptor, message.expires_at, clock()),
      ...destinationCountryParameters(message),
      Context: { message_id: message.message_id, client_id: message.client_id, attempt_id: attemptId },
    };
  }

  return { defaultSender: async () => settings.originationIdentity, handOver };
}

/**
 * For a sender ID, India requires the ids that were registered there. `select-sender.ts` adds them only to messages to
 * India.
 */
function destinationCountryParameters({ sender }: Message) {
  if (sender?.entity_id === undefined || sender.template_id === undefined) return {};
  return {
    DestinationCountryParameters: { IN_ENTITY_ID: sender.entity_id, IN_TEMPLATE_ID: sender.template_id },
  };
}
