/** Receipts in the shapes that the two services document, all members included, wrapped as SNS wraps them. */

export function snsNotification(event: unknown): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: '6b7f7a4e-1f0b-5c3c-9f0e-2a4f4d2f1c11',
    TopicArn: 'arn:aws:sns:eu-west-2:111122223333:receipts',
    Message: typeof event === 'string' ? event : JSON.stringify(event),
    Timestamp: '2026-11-20T10:00:05.000Z',
    SignatureVersion: '1',
    Signature: 'c2lnbmF0dXJl',
    SigningCertURL: 'https://sns.eu-west-2.amazonaws.com/certificate.pem',
    UnsubscribeURL: 'https://sns.eu-west-2.amazonaws.com/?Action=Unsubscribe',
  });
}

/** AWS End User Messaging SMS: "Messaging events", SMS example. */
export function smsEvent(change: object = {}) {
  return {
    eventType: 'TEXT_DELIVERED',
    eventVersion: '1.0',
    eventTimestamp: 1795168803470,
    isFinal: true,
    originationPhoneNumber: '+447418367358',
    destinationPhoneNumber: '+447700900123',
    isoCountryCode: 'GB',
    isInternationalSend: false,
    mcc: '234',
    mnc: '15',
    carrierName: 'Vodafone',
    messageId: '0d1ae9f2-60c0-4430-9b2b-658bdexample',
    messageRequestTimestamp: 1795168803170,
    messageEncoding: 'GSM',
    messageType: 'TRANSACTIONAL',
    messageStatus: 'DELIVERED',
    messageStatusDescription: 'Message has been accepted by phone',
    context: { message_id: 'msg_01KAFF00000000000000000000', client_id: 'acme' },
    totalMessageParts: 1,
    totalMessagePrice: 0.03877,
    totalCarrierFee: 0.0003,
    protectConfiguration: { protectConfigurationId: 'protect-5540example', protectStatus: 'ALLOW' },
    ...change,
  };
}

/** AWS End User Messaging Social: "Message and event format", around Meta's status webhook. */
export function whatsAppEvent(statuses: readonly object[], change: object = {}) {
  const entry = {
    id: '365731266123456',
    changes: [
      {
        value: {
          messaging_product: 'whatsapp',
          metadata: { display_phone_number: '447418367358', phone_number_id: '321010217760100' },
          statuses,
        },
        field: 'messages',
      },
    ],
  };
  return {
    context: {
      MetaWabaIds: [
        {
          wabaId: '365731266123456',
          arn: 'arn:aws:social-messaging:eu-west-2:111122223333:waba/fb2594b8a7974770b128a409e2example',
        },
      ],
      MetaPhoneNumberIds: [
        {
          metaPhoneNumberId: '321010217760100',
          arn: 'arn:aws:social-messaging:eu-west-2:111122223333:phone-number-id/976c72a700aac43eaf573ae050example',
        },
      ],
    },
    whatsAppWebhookEntry: JSON.stringify(entry),
    aws_account_id: '111122223333',
    message_timestamp: '2026-11-20T10:00:03.271279391Z',
    messageId: '6d69f07a-c317-4278-9d5c-6a84078419ec',
    ...change,
  };
}

/** 1795168803 is 2026-11-20T10:00:03Z. */
export function whatsAppStatus(change: object = {}) {
  return {
    id: 'wamid.HBgMNDQ3NzAwOTAwMTIzFQIAERgSexample',
    status: 'delivered',
    timestamp: '1795168803',
    recipient_id: '447700900123',
    biz_opaque_callback_data: 'msg_01KAFF00000000000000000000',
    conversation: { id: 'a75d17ad06104c51166f948319b03c6a', origin: { type: 'utility' } },
    pricing: { billable: true, pricing_model: 'PMP', category: 'utility' },
    ...change,
  };
}
