/**
 * SMS by AWS End User Messaging. The call is not retried here: it has no idempotency token, so a call whose response
 * was lost may have sent the message. Another attempt needs a new claim.
 */
import {
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type SendTextMessageCommandInput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { PriceTable } from '../../contract/price-table.ts';
import { expectedPrice } from '../../contract/prices.ts';
import type { Carrier, HandOver, HandOverBody } from '../../message/dispatch/carrier.ts';
import { fromOf, type Message } from '../../message/message.ts';
import type { Clock } from '../../platform/clock.ts';
import { outcomeOfError, type RefusalTable } from './hand-over-errors.ts';

interface AwsSmsSettings {
  /** The sender of messages that were stored without one. */
  readonly originationIdentity: string;
  /** Its event destination publishes the receipts. */
  readonly configurationSet: string;
  /** Which countries AWS blocks; without it that of the configuration set or of the account is in force. */
  readonly protectConfigurationId?: string | undefined;
  readonly prices: PriceTable;
  readonly timeLimitMs: number;
}

/** The limits of `TimeToLive`. */
const timeToLiveSeconds = { min: 5, max: 259_200 };

const refusalTable: RefusalTable = {
  'ConflictException/DESTINATION_PHONE_NUMBER_OPTED_OUT': 'recipient_opted_out',
  'ConflictException/DESTINATION_PHONE_NUMBER_NOT_VERIFIED': 'invalid_recipient',
  'ConflictException/DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION': 'country_not_supported',
  'ConflictException/DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE': 'carrier_blocked',
  'ConflictException/NO_ORIGINATION_IDENTITIES_FOUND': 'sender_rejected',
  'ConflictException/MESSAGE_TYPE_MISMATCH': 'sender_rejected',
  'ConflictException/NUMBER_CAPABILITIES_MISMATCH': 'sender_rejected',
  ConflictException: 'carrier_rejected',
  'ValidationException/INVALID_IDENTITY_FOR_DESTINATION_COUNTRY': 'sender_rejected',
  'ValidationException/SENDER_ID_NOT_REGISTERED': 'sender_rejected',
  'ValidationException/SENDER_ID_NOT_SUPPORTED': 'sender_rejected',
  'ValidationException/SENDER_ID_REQUIRES_REGISTRATION': 'sender_rejected',
  'ValidationException/COUNTRY_NOT_ENABLED': 'country_not_supported',
  'ValidationException/DESTINATION_COUNTRY_BLOCKED': 'country_not_supported',
  'ValidationException/INTERNATIONAL_SENDING_NOT_SUPPORTED': 'country_not_supported',
  'ValidationException/PRICE_OVER_THRESHOLD': 'spend_limit_reached',
  'ValidationException/MAXIMUM_SIZE_EXCEEDED': 'content_rejected',
  ValidationException: 'carrier_rejected',
  ServiceQuotaExceededException: 'spend_limit_reached',
  ResourceNotFoundException: 'sender_rejected',
  'AccessDeniedException/ACCOUNT_DISABLED': 'carrier_rejected',
  'AccessDeniedException/INSUFFICIENT_ACCOUNT_REPUTATION': 'carrier_rejected',
};

export function awsSms(settings: AwsSmsSettings, clock: Clock): Carrier {
  const client = new PinpointSMSVoiceV2Client({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000 },
  });

  async function handOver(message: Message, body: HandOverBody): Promise<HandOver> {
    try {
      const response = await client.send(new SendTextMessageCommand(requestFor(message, body.text)), {
        abortSignal: AbortSignal.timeout(settings.timeLimitMs),
      });
      if (response.MessageId === undefined) throw new Error('the carrier answered without a message id');
      return {
        outcome: 'accepted',
        carrierMessageId: response.MessageId,
        ...expectedPrice(settings.prices, message),
      };
    } catch (error) {
      return outcomeOfError(error, refusalTable);
    }
  }

  function requestFor(message: Message, body: string): SendTextMessageCommandInput {
    return {
      DestinationPhoneNumber: message.recipient,
      OriginationIdentity: fromOf(message) ?? settings.originationIdentity,
      MessageBody: body,
      MessageType: message.type === 'promotional' ? 'PROMOTIONAL' : 'TRANSACTIONAL',
      ConfigurationSetName: settings.configurationSet,
      TimeToLive: timeToLive(message, clock()),
      ProtectConfigurationId: settings.protectConfigurationId,
      // A verified one-time password is reported (shared/otp/report-verified.ts).
      MessageFeedbackEnabled: message.otp === undefined ? undefined : true,
      ...destinationCountryParameters(message),
      Context: { message_id: message.message_id, client_id: message.client_id },
    };
  }

  return { handOver };
}

/** India refuses messages of a sender ID without the ids that were registered there; `select-sender.ts` gives them to India's only. */
function destinationCountryParameters({
  sender,
}: Message): Pick<SendTextMessageCommandInput, 'DestinationCountryParameters'> {
  if (sender?.entity_id === undefined || sender.template_id === undefined) return {};
  return {
    DestinationCountryParameters: { IN_ENTITY_ID: sender.entity_id, IN_TEMPLATE_ID: sender.template_id },
  };
}

/** The rest of the validity period, within the limits of the service. */
function timeToLive(message: Message, now: Date): number {
  const secondsLeft = Math.floor((Date.parse(message.expires_at) - now.getTime()) / 1000);
  return Math.min(timeToLiveSeconds.max, Math.max(timeToLiveSeconds.min, secondsLeft));
}
