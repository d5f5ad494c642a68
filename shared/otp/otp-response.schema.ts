/** What the API answers about one-time passwords (contract, section 5). Functions import only its types. */
import * as z from 'zod/mini';
import { channel, count, idOf, instant, recipient, reference } from '../message/message-response.schema.ts';

export const sentOneTimePassword = z.object({
  otp_id: idOf('otp'),
  message_id: idOf('msg'),
  status: z.literal('pending'),
  channel,
  recipient,
  reference,
  expires_at: instant,
  attempts_remaining: count,
});

/** One form for both results; `attempts_remaining` only where the code was wrong. */
export const verification = z.object({
  otp_id: idOf('otp'),
  verified: z.boolean(),
  status: z.enum(['verified', 'pending']),
  attempts_remaining: z.exactOptional(count),
});

export type SentOneTimePassword = z.output<typeof sentOneTimePassword>;
export type Verification = z.output<typeof verification>;
