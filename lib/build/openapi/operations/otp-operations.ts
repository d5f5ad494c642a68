/** The operations on one-time passwords. */

import {
  recipientSendsMax,
  recipientWindowSeconds,
} from '../../../../shared/contract/rate-limits-and-caps.ts';
import { maxAttempts } from '../../../../shared/otp/otp-request.ts';
import { inWords } from '../../../../shared/platform/clock.ts';
import type { Description } from '../description.ts';
import { acceptedDryRun, example, messageId, otpId, recipient } from './examples.ts';

export const sendOtp: Description = {
  summary: 'Send a one-time password',
  description: `Sends a code to a recipient. While the code is pending, another send to the same recipient for the same purpose sends the same code with the same expiry. A client can send at most ${recipientSendsMax} codes to a recipient in a window of ${inWords([recipientWindowSeconds])}; further requests get 429 \`rate_limit_exceeded\`. No response and no webhook contains the code. If a client has a list of senders, it must contain the word \`otp\`, for both channels. If too few of the last codes by SMS were verified (to this country or to all countries), further codes get 403 \`otp_held\` until the operator allows them. Offer the recipient another channel. All messages of \`fallback\` contain the same code, and each counts as a code sent to the recipient. After the code is verified, no more messages are sent.`,
  keyed: true,
  errors: ['otp_held'],
  request: {
    schema: 'OtpMessage',
    examples: {
      simple: example('By SMS', { to: recipient }),
      branded: example('With your own text', {
        to: recipient,
        brand: 'ACME',
        template: '{{code}} is your {{brand}} code for {{ttl_minutes}} minutes.',
        ttl: 600,
        purpose: 'login',
      }),
      fallback: example('By WhatsApp, then by SMS', {
        to: recipient,
        channel: 'whatsapp',
        fallback: [{ channel: 'sms', after_seconds: 30 }],
      }),
    },
  },
  dryRun: {
    schema: 'DryRun',
    examples: {
      accepted: example('The code would be sent', acceptedDryRun),
    },
  },
  response: {
    status: 202,
    description: 'The message with the code is stored and will be sent.',
    schema: 'SentOtp',
    examples: {
      pending: example('Sent', {
        otp_id: otpId,
        message_id: messageId,
        status: 'pending',
        channel: 'sms',
        recipient,
        reference: null,
        expires_at: '2026-11-20T10:05:00.000Z',
        attempts_remaining: maxAttempts.default,
      }),
    },
  },
};

export const verifyOtp: Description = {
  summary: 'Verify a one-time password',
  description:
    'Checks a code by `otp_id`, or by `to` and `purpose`. If you give `to` or `purpose` with an `otp_id`, they must match the send; otherwise the response is 404 `not_found`. A wrong code also gets 200, so check `verified`, not the status. Each attempt is counted before the code is compared.',
  request: {
    schema: 'OtpVerification',
    examples: {
      byId: example('By id', { otp_id: otpId, code: '042137' }),
      byRecipient: example('By recipient', { to: recipient, purpose: 'login', code: '042137' }),
    },
  },
  response: {
    description: 'The result: `verified` is true if the code was right.',
    schema: 'OtpVerificationResult',
    examples: {
      right: example('Right', { otp_id: otpId, verified: true, status: 'verified' }),
      wrong: example('Wrong', {
        otp_id: otpId,
        verified: false,
        status: 'pending',
        attempts_remaining: maxAttempts.default - 1,
      }),
    },
  },
  errors: ['not_found', 'otp_already_used', 'otp_attempts_exhausted', 'otp_expired'],
};
