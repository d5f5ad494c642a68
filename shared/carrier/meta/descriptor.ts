/** The facts of Meta's WhatsApp Cloud API, which is called directly. */
import type { CarrierDescriptor } from '../carrier-descriptor.ts';

export const metaDescriptor: CarrierDescriptor = {
  name: 'meta',
  channels: ['whatsapp'],
  senderKinds: ['whatsapp_number'],
  countries: 'Wherever Meta offers WhatsApp to businesses.',
  throughput: '80 messages a second from a number, on request 1,000; to one person one message in 6 seconds.',
  confirms: 'By a webhook: sent, delivered, read, or why not.',
  sandbox: 'A test number sends to five verified numbers.',
  // A validity cannot be given for a message: WhatsApp keeps it for 30 days.
  validitySeconds: { min: 2_592_000, max: 2_592_000 },
  // There is no idempotency key, and nobody can be asked about a message.
  repeatedRequest: 'sent_again',
  settledBy: 'receipt',
  canLookUp: false,
  reportsBy: 'callback',
  hasCredentials: true,
};
