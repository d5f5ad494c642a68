/** The facts of AWS End User Messaging (SMS and Social). */
import type { CarrierDescriptor } from '../carrier-module.ts';

export const awsDescriptor: CarrierDescriptor = {
  name: 'aws',
  channels: ['sms', 'whatsapp'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id', 'pool', 'whatsapp_number'],
  countries: 'SMS to more than 240 countries and regions; WhatsApp wherever Meta offers it.',
  throughput:
    'Depends on the sender: a long number sends 1 part a second in most countries, a short code 100; WhatsApp 80 messages a second.',
  confirms: 'By events to an SNS topic: sent, delivered, read (WhatsApp), or the reason of a failure.',
  sandbox: 'A new account sends SMS to ten verified numbers only.',
  // AWS accepts `TimeToLive` within these limits.
  validitySeconds: { min: 5, max: 259_200 },
  // Both services lack an idempotency token and a look-up of messages.
  repeatedRequest: 'sent_again',
  settledBy: 'receipt',
  canLookUp: false,
  reportsBy: 'topic',
  hasCredentials: false,
};
