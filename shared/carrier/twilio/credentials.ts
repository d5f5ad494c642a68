/** The secret of Twilio. */
import * as z from 'zod/mini';
import { vendorAddress } from '../http-call.ts';

const text = z.string().check(z.minLength(1));

export const twilioCredentials = z.object({
  account_sid: z.string().check(z.regex(/^AC\w+$/)),
  auth_token: text,
  /** What messages are sent from that have no sender of their own: a number, a sender ID or a Messaging Service (`MG…`). */
  from: text,
  base_url: z.optional(vendorAddress),
});

export type TwilioCredentials = z.output<typeof twilioCredentials>;
