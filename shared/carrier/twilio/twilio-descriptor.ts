/** Describes Twilio's Programmable Messaging, for SMS, and the form of its secret. */

import * as z from 'zod/mini';
import type { CarrierDescriptor } from '../carrier-module.ts';
import { vendorAddress } from '../http-call.ts';

export const twilioDescriptor: CarrierDescriptor = {
  name: 'twilio',
  channels: ['sms'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id', 'pool'],
  countries:
    'More than 180 countries. The account must allow each of them (Messaging Geographic Permissions).',
  throughput: 'By sender: a long number 1 part a second, toll-free 3, a short code 100; more by agreement.',
  confirms: 'By status callbacks: queued, sent, delivered, undelivered or failed.',
  sandbox:
    'A trial account sends to verified numbers only; test credentials send nothing and call nobody back.',
  // Error 90007: whole seconds from 1 to 36,000.
  validitySeconds: { min: 1, max: 36_000 },
  // The API has no idempotency key. The address of the status callback names the attempt.
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
  /** The sender of messages that do not name a sender: a number, a sender ID or a Messaging Service (`MG…`). */
  from: text,
  base_url: z.optional(vendorAddress),
});

export type TwilioCredentials = z.output<typeof twilioCredentials>;
