/**
 * Describes Meta's WhatsApp Cloud API and the form of its secret: a number, a token to send from the number, and the keys
 * that prove that a callback comes from Meta.
 */

import * as z from 'zod/mini';
import type { CarrierDescriptor } from '../carrier-module.ts';
import { vendorAddress } from '../http-call.ts';

export const metaDescriptor: CarrierDescriptor = {
  name: 'meta',
  channels: ['whatsapp'],
  senderKinds: ['whatsapp_number'],
  countries: 'Wherever Meta offers WhatsApp to businesses.',
  throughput:
    '80 messages a second from a number, on request 1,000; one message in 6 seconds to one recipient.',
  confirms: 'By a webhook: sent, delivered, read, or why not.',
  sandbox: 'A test number sends to five verified numbers.',
  // A message cannot have its own validity: WhatsApp keeps every message for 30 days.
  validitySeconds: { min: 2_592_000, max: 2_592_000 },
  // There is no idempotency key and no look-up.
  repeatedRequest: 'sent_again',
  settledBy: 'receipt',
  canLookUp: false,
  reportsBy: 'callback',
  hasCredentials: true,
};

const text = z.string().check(z.minLength(1));

export const metaCredentials = z.object({
  base_url: z.optional(vendorAddress),
  /** The default sender, if no row of `senders` names one for a message. */
  phone_number_id: text.check(z.regex(/^\d+$/)),
  /** The token of a system user with the permission `whatsapp_business_messaging`. */
  access_token: text,
  /** Meta signs callbacks with this secret. */
  app_secret: text,
  /** A text that we choose and register together with the callback address. */
  verify_token: text,
  /**
   * `name/language` of the approved authentication template for one-time passwords. If it is absent, they are sent as text.
   */
  otp_template: z.optional(text.check(z.regex(/^[^/]+\/[^/]+$/))),
});

export type MetaCredentials = z.output<typeof metaCredentials>;
