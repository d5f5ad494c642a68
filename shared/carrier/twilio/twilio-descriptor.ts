/** Describes Twilio's Programmable Messaging for SMS, and the contents of its secret. */

import * as z from 'zod/mini';
import type { CarrierDescriptor } from '../carrier-module.ts';
import { vendorAddress } from '../http-call.ts';

export const twilioDescriptor: CarrierDescriptor = {
  name: 'twilio',
  channels: ['sms'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id', 'pool'],
  countries: 'More than 180 countries. Allow each country in the account (Messaging Geographic Permissions).',
  throughput:
    'Depends on the sender: a long number 1 part a second, toll-free 3, a short code 100; more by agreement.',
  confirms: 'By status callbacks: queued, sent, delivered, undelivered or failed.',
  sandbox:
    'A trial account sends only to verified numbers. Test credentials send no message and no callback.',
  // Twilio accepts 1 to 36,000 whole seconds, and returns error 90007 for others.
  validitySeconds: { min: 1, max: 36_000 },
  // Twilio has no idempotency key. The URL of the status callback names the attempt.
  repeatedRequest: 'sent_again',
  settledBy: 'receipt',
  canLookUp: true,
  reportsBy: 'callback',
  hasCredentials: true,
};

const text = z.string().check(z.minLength(1));

export const twilioCredentials = z.object({
  account_sid: z.string().check(z.regex(/^AC\w+$/)),
  auth_token: text,
  /** The default sender: a number, a sender ID or a Messaging Service (`MG…`). */
  from: text,
  base_url: z.optional(vendorAddress),
});

export type TwilioCredentials = z.output<typeof twilioCredentials>;
