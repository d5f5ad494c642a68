/**
 * AWS End User Messaging, as its documentation says: SMS and WhatsApp, no repeat recognized, events published to a topic. Its
 * calls are judged by the service models of botocore (`test/aws-inputs`).
 */
import { randomUUID } from 'node:crypto';
import { smsEvent, whatsAppEvent } from '../recorded-receipts.ts';
import type { VendorRequest } from '../vendor-description.ts';
import { metaVendor } from './meta.ts';
import type { Callback, Outcome, Taken, Vendor, VendorResponse } from './vendor.ts';

const amazonJson = 'application/x-amz-json-1.0';

const response = (status: number, body: object): VendorResponse => ({
  status,
  headers: { 'content-type': amazonJson },
  text: JSON.stringify(body),
});

const exception = (status: number, name: string, fields: object = {}) =>
  response(status, {
    __type: `com.amazonaws.pinpointsmsvoicev2#${name}`,
    Message: 'As documented',
    ...fields,
  });

const isSignedFor =
  (service: string) =>
  ({ headers: { authorization = '' } }: VendorRequest): boolean =>
    authorization.startsWith('AWS4-HMAC-SHA256 ') && authorization.includes(`/${service}/aws4_request`);

const event = (body: object): Callback => ({
  path: '',
  contentType: 'application/json',
  text: JSON.stringify(body),
});

const smsEvents: Readonly<Record<Outcome, object>> = {
  sent: { eventType: 'TEXT_SENT', isFinal: false, messageStatus: 'SENT' },
  delivered: { eventType: 'TEXT_DELIVERED', isFinal: true, messageStatus: 'DELIVERED' },
  unreachable: { eventType: 'TEXT_UNREACHABLE', isFinal: true, messageStatus: 'UNREACHABLE' },
};

const awsSmsVendor: Vendor = {
  name: 'aws',
  channel: 'sms',
  recognizesRepeats: false,
  reportsPricesIn: 'USD',
  refusalCodes: { recipient: 'carrier_blocked', account: 'spend_limit_reached' },
  newId: randomUUID,
  isAuthorized: isSignedFor('sms-voice'),
  unauthorized: exception(400, 'UnrecognizedClientException'),
  askedIn({ headers, text }) {
    if (headers['x-amz-target'] !== 'PinpointSMSVoiceV2.SendTextMessage') return undefined;
    const input = JSON.parse(text) as {
      readonly DestinationPhoneNumber: string;
      readonly MessageBody: string;
      readonly Context: { readonly attempt_id: string };
    };
    return {
      to: input.DestinationPhoneNumber,
      attemptId: input.Context.attempt_id,
      text: input.MessageBody,
    };
  },
  accepted: ({ vendorId }) => response(200, { MessageId: vendorId }),
  answer: () => response(200, {}),
  refusal(why) {
    if (why === 'recipient')
      return exception(400, 'ConflictException', {
        Reason: 'DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE',
      });
    if (why === 'account')
      return exception(402, 'ServiceQuotaExceededException', {
        Reason: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
      });
    return why === 'throttled'
      ? exception(429, 'ThrottlingException')
      : exception(500, 'InternalServerException');
  },
  report: ({ vendorId, attemptId, to, at, price }, outcome) =>
    event(
      smsEvent({
        ...smsEvents[outcome],
        eventTimestamp: at.getTime(),
        messageId: vendorId,
        destinationPhoneNumber: to,
        context: { message_id: messageOf(attemptId), client_id: 'client', attempt_id: attemptId },
        totalMessagePrice: price,
        totalCarrierFee: 0,
      }),
    ),
};

function messageOf(attemptId: string): string {
  return attemptId.slice(0, attemptId.lastIndexOf('.'));
}

interface WhatsAppInput {
  /** The message in Meta's form, in base64. */
  readonly message: string;
}

/** The request to Meta that AWS makes of its own. */
function toMeta({ text }: VendorRequest): VendorRequest {
  const { message } = JSON.parse(text) as WhatsAppInput;
  return {
    method: 'POST',
    path: '/v23.0/106540352242922/messages',
    headers: {},
    text: Buffer.from(message, 'base64').toString('utf8'),
  };
}

const awsWhatsAppVendor: Vendor = {
  name: 'aws',
  channel: 'whatsapp',
  recognizesRepeats: false,
  refusalCodes: { recipient: 'content_rejected', account: 'sender_rejected' },
  newId: randomUUID,
  isAuthorized: isSignedFor('social-messaging'),
  unauthorized: exception(403, 'UnrecognizedClientException'),
  askedIn: (request) =>
    request.path === '/v1/whatsapp/send' ? metaVendor.askedIn(toMeta(request)) : undefined,
  accepted: ({ vendorId }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ messageId: vendorId }),
  }),
  answer: () => response(404, {}),
  refusal(why) {
    if (why === 'recipient') return restException(400, 'InvalidParametersException');
    if (why === 'account') return restException(404, 'ResourceNotFoundException');
    return why === 'throttled'
      ? restException(429, 'ThrottledRequestException')
      : restException(500, 'InternalServiceException');
  },
  report(taken: Taken, outcome) {
    const { entry } = JSON.parse(
      metaVendor.report({ ...taken, vendorId: metaIdOf(taken) }, outcome).text,
    ) as {
      readonly entry: readonly object[];
    };
    return event(
      whatsAppEvent([], {
        whatsAppWebhookEntry: JSON.stringify(entry[0]),
        message_timestamp: taken.at.toISOString(),
        messageId: taken.vendorId,
      }),
    );
  },
};

const metaIdOf = ({ vendorId }: Taken): string => `wamid.${Buffer.from(vendorId).toString('base64')}`;

function restException(status: number, name: string): VendorResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': name },
    text: JSON.stringify({ message: 'As documented' }),
  };
}

/** The vendors that publish what they report to a topic. */
export const topicVendors: readonly Vendor[] = [awsSmsVendor, awsWhatsAppVendor];
