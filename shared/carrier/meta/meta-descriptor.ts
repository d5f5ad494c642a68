/**
 * The facts of Meta's WhatsApp Cloud API, and the form of its secret: a number, a token to send from it, and the keys that prove
 * that a callback is Meta's.
 */

import * as z from 'zod/mini';
import type { CarrierDescriptor } from '../carrier-module.ts';
import { vendorAddress } from '../http-call.ts';

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
  /** The sender of messages for which no row of `senders` names one. */
  phone_number_id: text.check(z.regex(/^\d+$/)),
  /** The token of a system user with the permission `whatsapp_business_messaging`. */
  access_token: text,
  /** Meta signs callbacks with it. */
  app_secret: text,
  /** A text of our own, which is registered with the callback address. */
  verify_token: text,
  /** `name/language` of the approved authentication template for one-time passwords; without it they are sent as text. */
  otp_template: z.optional(text.check(z.regex(/^[^/]+\/[^/]+$/))),
});

export type MetaCredentials = z.output<typeof metaCredentials>;
