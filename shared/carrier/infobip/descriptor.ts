/** The facts of Infobip's SMS API, version 3. */
import type { CarrierDescriptor } from '../carrier-descriptor.ts';

export const infobipDescriptor: CarrierDescriptor = {
  name: 'infobip',
  channels: ['sms'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id'],
  countries: 'SMS to more than 190 countries.',
  throughput: 'As agreed for the account; what is above it gets 429.',
  confirms: 'By delivery reports that it posts to a subscription: delivered, or why not, with the price.',
  sandbox: 'A trial account sends to its own verified number only.',
  // Longer periods are cut to 48 hours.
  validitySeconds: { min: 1, max: 172_800 },
  // A second request with the same `messageId` is REJECTED_DUPLICATE_MESSAGE_ID, so it sends nothing.
  repeatedRequest: 'recognized',
  settledBy: 'repeat',
  canLookUp: true,
  reportsBy: 'callback',
  hasCredentials: true,
};
