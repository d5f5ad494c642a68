/**
 * Describes Meta's WhatsApp Cloud API and the contents of its secret: a number, a token to send from it, and the keys that
 * verify Meta's callbacks.
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
  confirms: 'By a webhook: sent, delivered, read, or the reason of a failure.',
  sandbox: 'A test number sends to only five verified numbers.',
  // A message cannot have its own validity period: WhatsApp keeps every message for 30 days.
  validitySeconds: { min: 2_592_000, max: 2_592_000 },
  // Meta has no idempotency key and no look-up of messages.
  repeatedRequest: 'sent_again',
  settledBy: 'receipt',
  canLookUp: false,
  reportsBy: 'callback',
  hasCredentials: true,
};

const text = z.string().check(z.minLength(1));

export const metaCredentials = z.object({
  base_url: z.optional(vendorAddress),
  /** The default sender, for messages whose sender no row of `senders` names. */
  phone_number_id: text.check(z.regex(/^\d+$/)),
  /** The token of a system user with the permission `whatsapp_business_messaging`. */
  access_token: text,
  /** Meta signs callbacks with this secret. */
  app_secret: text,
  /** A text that the operator chooses and registers with the callback address. */
  verify_token: text,
  /**
   * The approved authentication template for one-time passwords, as `name/language`. By default, passwords are sent as
   * text.
   */
  otp_template: z.optional(text.check(z.regex(/^[^/]+\/[^/]+$/))),
});

export type MetaCredentials = z.output<typeof metaCredentials>;
