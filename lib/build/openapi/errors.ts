/** The error body, and each error code as a caller meets it: when, and an example. */
import * as z from 'zod/mini';
import { type ErrorCode, errorStatus } from '../../../shared/contract/errors.ts';

const fieldError = z.object({ field: z.string(), message: z.string() });

const error = z.object({
  error: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  request_id: z.string(),
  details: z.optional(z.array(fieldError)),
  retry_after: z.optional(z.int().check(z.positive())),
  error_description: z.optional(z.string()),
});

export const errorSchemas = { ErrorBody: error, FieldError: fieldError } as const;

interface ErrorNote {
  readonly when: string;
  /** The `message` of the example. */
  readonly message: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

export const errorNotes: Readonly<Record<ErrorCode, ErrorNote>> = {
  invalid_request: {
    when: 'The body is no JSON object, fields are missing or not valid, or text is not well-formed Unicode: `details` names all that is at fault.',
    message: 'A field is not valid; see details.',
    details: [
      { field: 'to', message: 'must be a phone number in international format, such as +447700900123' },
    ],
  },
  unsupported_grant_type: {
    when: '`grant_type` is not `client_credentials`.',
    message: 'grant_type must be client_credentials.',
  },
  invalid_scope: {
    when: 'The client has not the scope that `scope` asks for.',
    message: 'This client does not have the scope admin.',
  },
  no_valid_recipients: {
    when: 'None of the recipients can be sent to: `details` names each with its fault.',
    message: 'None of the recipients can be sent to.',
    details: [
      {
        field: 'recipients[0].to',
        message: 'The recipient is not a phone number in international format.',
      },
    ],
  },
  unauthorized: {
    when: 'No credential, or one that is not valid: expired, revoked, altered, or of another scheme.',
    message: 'This access token is not valid or no longer valid.',
  },
  invalid_client: {
    when: 'The client is unknown or the secret is wrong.',
    message: 'The client credentials are not valid.',
  },
  forbidden: {
    when: 'The client is disabled, has not the scope, or may not send to this country or from this sender.',
    message: 'This client is disabled.',
  },
  not_found: {
    when: "There is no such thing, or it is another client's: the two answers are the same.",
    message: 'There is no such message.',
  },
  method_not_allowed: {
    when: 'The path takes other methods: `Allow` lists them.',
    message: '/api/v1/sms/send does not take GET. It takes POST.',
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still being worked on.',
    message: 'The first request with this Idempotency-Key is still being worked on. Try again in a minute.',
  },
  otp_already_used: {
    when: 'The one-time password was verified before.',
    message: 'This one-time password was used already.',
  },
  otp_attempts_exhausted: {
    when: 'No attempt is left: send a new one.',
    message: 'No attempts are left for this one-time password.',
  },
  not_cancelable: {
    when: 'The message is not scheduled, or its time has come.',
    message: 'Only a scheduled message can be canceled, before its time has come.',
  },
  otp_expired: {
    when: 'The one-time password has expired: send a new one.',
    message: 'This one-time password has expired.',
  },
  payload_too_large: {
    when: 'The body is larger than 4 MiB, or than 8 KiB on the token endpoint.',
    message: 'The body is larger than 4194304 bytes.',
  },
  unsupported_media_type: {
    when: 'The `Content-Type` is none that the operation reads.',
    message: 'Send the body with Content-Type: application/json.',
  },
  idempotency_key_reused: {
    when: 'This `Idempotency-Key` stands for a different request of the last 24 hours.',
    message: 'This Idempotency-Key was used for a different request in the last 24 hours.',
  },
  rate_limit_exceeded: {
    when: 'A limit is used up. `Retry-After` and `retry_after` say for how many seconds.',
    message: 'The limit of 60 requests a minute is used up. Try again in 17 seconds.',
  },
  internal_error: { when: 'Something went wrong on our side.', message: 'Something went wrong on our side.' },
  service_unavailable: {
    when: 'A service that the gateway needs is down or slow. The request may be repeated.',
    message: 'The service is not available right now. Try again soon.',
  },
};

/** A body as a caller gets it. */
export function errorExample(code: ErrorCode, onTokenEndpoint: boolean): Record<string, unknown> {
  const { message, details } = errorNotes[code];
  return {
    error: code,
    ...(onTokenEndpoint ? { error_description: message } : {}),
    message,
    request_id: '8f0c1f3e-5a2b-4a53-9c0e-2f6f8f5d7a10',
    ...(details === undefined ? {} : { details }),
    ...(code === 'rate_limit_exceeded' ? { retry_after: 17 } : {}),
  };
}
