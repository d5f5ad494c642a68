/** Describes the simulated carrier. */
import type { CarrierDescriptor } from '../carrier-module.ts';

export const simulatorDescriptor: CarrierDescriptor = {
  name: 'simulator',
  channels: ['sms', 'whatsapp'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id', 'pool', 'whatsapp_number'],
  countries: 'All: nothing is sent.',
  throughput: 'Unlimited.',
  confirms:
    'By notifications in the form of AWS: sent, delivered, read (WhatsApp), or the reason of a failure. The recipient decides which.',
  sandbox: 'The simulator sends to nobody; the outbox shows the messages that it accepted.',
  validitySeconds: { min: 1, max: 259_200 },
  // A repeated hand-over has the same ids, so its outbox row and its receipts replace the first ones.
  repeatedRequest: 'recognized',
  settledBy: 'repeat',
  canLookUp: false,
  reportsBy: 'topic',
  hasCredentials: false,
};
