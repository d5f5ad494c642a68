/** The schema of the responses about one-time passwords (contract, section 5). Functions import only the types. */
import * as z from 'zod/mini';
import { channel, count, idOf, instant, recipient, reference } from '../message/message-response.schema.ts';
import { described } from '../operation/fields.ts';

export const sentOneTimePassword = z.object({
  otp_id: idOf('otp'),
  message_id: idOf('msg'),
  status: described(z.literal('pending'), '`pending` until the code is verified.'),
  channel,
  recipient,
  reference,
  expires_at: described(instant, 'When the code expires.'),
  attempts_remaining: count,
});

/** Both results have the same fields, but `attempts_remaining` only if the code was wrong. */
export const verification = z.object({
  otp_id: idOf('otp'),
  verified: described(z.boolean(), 'True if the code was right.'),
  status: described(
    z.enum(['verified', 'pending']),
    '`verified`, or `pending` until the right code is entered.',
  ),
  attempts_remaining: z.exactOptional(count),
});

export type Verification = z.output<typeof verification>;

export const otpResponses = {
  SentOtp: sentOneTimePassword,
  OtpVerificationResult: verification,
} as const;
