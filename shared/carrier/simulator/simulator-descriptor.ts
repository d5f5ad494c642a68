/** Describes the simulated carrier. */
import type { CarrierDescriptor } from '../carrier-module.ts';

export const simulatorDescriptor: CarrierDescriptor = {
  name: 'simulator',
  channels: ['sms', 'whatsapp'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id', 'pool', 'whatsapp_number'],
  countries: 'All: nothing is sent.',
  throughput: 'Unlimited.',
  confirms:
    'By notifications in the form of AWS: sent, delivered, read (WhatsApp), or why not, as its recipients say.',
  sandbox: 'It is one: the outbox shows what it accepted.',
  validitySeconds: { min: 1, max: 259_200 },
  // A repeat has the same ids, so its outbox row and its receipts replace the first ones.
  repeatedRequest: 'recognized',
  settledBy: 'repeat',
  canLookUp: false,
  reportsBy: 'topic',
  hasCredentials: false,
};
