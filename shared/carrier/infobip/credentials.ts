/** What the secret of Infobip holds: the account's host and key, a sender, and what its callbacks are signed with. */
import * as z from 'zod/mini';
import { vendorAddress } from '../http-call.ts';

const text = z.string().check(z.minLength(1));

export const infobipCredentials = z.object({
  base_url: z.optional(vendorAddress),
  /** The account's own; without it the host of all accounts is called. */
  host: z.optional(text.check(z.regex(/^[a-z0-9-]+\.api\.infobip\.com$/))),
  /** Needs the scopes `sms:message:send`, `sms:logs:read` and, for `doctor`, `account-management:manage`. */
  api_key: text,
  /** The sender of messages for which no row of `senders` names one: a number or a name. */
  from: text,
  /** The secret key of the subscription's security settings, with the algorithm HMAC_SHA_256. */
  webhook_secret: text,
});

export type InfobipCredentials = z.output<typeof infobipCredentials>;
