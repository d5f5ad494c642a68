/** What the secret of Meta holds: a number, a token to send by it, and what proves that a callback is Meta's. */
import * as z from 'zod/mini';
import { vendorAddress } from '../http-call.ts';

const text = z.string().check(z.minLength(1));

export const metaCredentials = z.object({
  base_url: z.optional(vendorAddress),
  /** The sender of messages for which no row of `senders` names one. */
  phone_number_id: text.check(z.regex(/^\d+$/)),
  /** Of a system user, with the permission `whatsapp_business_messaging`. */
  access_token: text,
  /** Meta signs callbacks with it. */
  app_secret: text,
  /** Chosen by us, and entered where the callback address is registered. */
  verify_token: text,
  /** `name/language` of the approved authentication template for one-time passwords; without it they are sent as text. */
  otp_template: z.optional(text.check(z.regex(/^[^/]+\/[^/]+$/))),
});

export type MetaCredentials = z.output<typeof metaCredentials>;
