/**
 * Describes Infobip's SMS API, version 3, and the contents of its secret: the account's host and key, a sender, and the key
 * that signs its callbacks.
 */

import * as z from 'zod/mini';
import type { CarrierDescriptor } from '../carrier-module.ts';
import { vendorAddress } from '../http-call.ts';

export const infobipDescriptor: CarrierDescriptor = {
  name: 'infobip',
  channels: ['sms'],
  senderKinds: ['long_number', 'short_code', 'toll_free', 'sender_id'],
  countries: 'SMS to more than 190 countries.',
  throughput: 'As agreed for the account. Requests above the limit get status 429.',
  confirms:
    'By delivery reports, which Infobip posts to a subscription: delivered, or why not, with the price.',
  sandbox: 'A trial account sends only to its own verified number.',
  // Infobip shortens longer periods to 48 hours.
  validitySeconds: { min: 1, max: 172_800 },
  // Infobip refuses a second request with the same `messageId` (`REJECTED_DUPLICATE_MESSAGE_ID`), so it sends nothing.
  repeatedRequest: 'recognized',
  settledBy: 'repeat',
  canLookUp: true,
  reportsBy: 'callback',
  hasCredentials: true,
};

const text = z.string().check(z.minLength(1));

export const infobipCredentials = z.object({
  base_url: z.optional(vendorAddress),
  /** The account's own host. By default, calls go to the host for all accounts. */
  host: z.optional(text.check(z.regex(/^[a-z0-9-]+\.api\.infobip\.com$/))),
  /** The key needs the scopes `sms:message:send`, `sms:logs:read` and, for `doctor`, `account-management:manage`. */
  api_key: text,
  /** The default sender, a number or a name, for messages whose sender no row of `senders` names. */
  from: text,
  /** The secret key of the subscription's security settings, with the algorithm HMAC_SHA_256. */
  webhook_secret: text,
});

export type InfobipCredentials = z.output<typeof infobipCredentials>;
