/** The schema of the error body, and a description and an example of each error code. */
import * as z from 'zod/mini';
import {
  type ErrorCode,
  errorBody,
  errorStatus,
  errorTexts,
  type FieldError,
  invalidRecipientText,
  otpHeldText,
} from '../../../shared/contract/errors.ts';
import { baseUrlMarker } from '../../../shared/contract/routes.ts';
import { tokenRequestBytesMax } from '../../../shared/http/authenticate-by-credentials.ts';
import { maxBodyBytes } from '../../../shared/http/read-request.ts';
import { described } from '../../../shared/operation/fields.ts';
import { requiredField } from '../../../shared/operation/operation.ts';
import { endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';

const fieldError = z.object({
  field: described(z.string(), 'The faulty field, such as `recipients[2].to`.'),
  message: described(z.string(), 'What is wrong with it.'),
});

const error = z.object({
  error: described(z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]), 'A stable code.'),
  message: described(z.string(), 'A sentence for people.'),
  request_id: described(z.string(), 'Equal to the header `X-Request-Id`; quote it when you ask for help.'),
  doc_url: described(
    z.optional(z.string()),
    'The address of the documentation of the code; absent if API Gateway itself refused the request.',
  ),
  details: described(
    z.optional(z.array(fieldError)),
    'All faulty fields; present only if fields are faulty.',
  ),
  retry_after: z.optional(z.int().check(z.positive())),
  error_description: described(
    z.optional(z.string()),
    'Equal to `message` (RFC 6749); only on the token endpoint.',
  ),
});

export const errorSchemas = { ErrorResponse: error, FieldError: fieldError } as const;

/** Describes when the gateway returns each code. */
export const errorNotes: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'The body is not a JSON object, a field is missing or not valid, or a text is not well-formed Unicode. `details` names every faulty field.',
  unsupported_grant_type: '`grant_type` is not `client_credentials`.',
  invalid_scope: 'The client does not have the scope that `scope` requests.',
  no_valid_recipients: 'No recipient of the request is valid. `details` contains the reason for each.',
  unauthorized: 'The credential is missing or not valid: expired, revoked, altered, or of another scheme.',
  invalid_client: 'The client is unknown or the secret is wrong.',
  forbidden:
    'The client is disabled, lacks the scope, is blocked from this endpoint, or may not send to the country of the recipient or from this sender. `message` says what to do.',
  otp_held:
    'Few of your last one-time passwords by SMS were verified (to this country or to all countries), so a program may have requested them. One-time passwords are refused until the operator allows them. WhatsApp is not affected.',
  not_found:
    'The resource does not exist, or it belongs to another client. The response is the same in both cases.',
  method_not_allowed: 'The path does not support this method; `Allow` lists the supported ones.',
  idempotency_in_progress: 'The first request with this `Idempotency-Key` is still being processed.',
  otp_already_used: 'The one-time password has already been verified.',
  otp_attempts_exhausted: 'The one-time password has no attempts left: send a new one.',
  not_cancelable: 'The message is not scheduled, or it is already due.',
  endpoint_disabled: 'The webhook endpoint is disabled.',
  endpoint_limit_reached: `The client already has ${endpointsMax} webhook endpoints. Delete one first.`,
  secret_limit_reached:
    'Two secrets are already active, because the overlap of a rotation has not ended. `message` states when the older one expires.',
  concurrent_change: 'Other requests are changing the same resource. Retry the request.',
  otp_expired: 'The one-time password has expired: send a new one.',
  payload_too_large: `The body is larger than ${maxBodyBytes / 1024 ** 2} MiB, or than ${tokenRequestBytesMax / 1024} KiB on the token endpoint.`,
  unsupported_media_type:
    'The operation does not support this `Content-Type`, or the body has a `Content-Encoding`.',
  idempotency_key_reused: 'This `Idempotency-Key` was used for a different request. Use a new key.',
  rate_limit_exceeded:
    'A rate limit is used up. `Retry-After` and `retry_after` contain the seconds to wait.',
  message_limit_reached:
    'The client’s cap on messages has no room for all recipients of the request. Nothing is stored. `retry_after` contains the seconds until the window resets.',
  spend_limit_reached:
    'The client’s cap on estimated cost has no room for the request. Nothing is stored. `retry_after` contains the seconds until the window resets.',
  internal_error: 'The gateway failed to process the request.',
  service_unavailable:
    'A service that the gateway needs is down or slow, or the gateway is in maintenance. Retry the request. If the response has the header `Retry-After`, wait for that number of seconds first.',
};

/** The text for each code in the examples. */
const exampleTexts: Readonly<Record<ErrorCode, string>> = {
  ...errorTexts,
  invalid_request: `to: ${requiredField}`,
  invalid_scope: errorTexts.invalid_scope('admin'),
  otp_held: otpHeldText('FR'),
  method_not_allowed: errorTexts.method_not_allowed('/api/v1/sms/send', 'GET', 'POST'),
  endpoint_limit_reached: errorTexts.endpoint_limit_reached(endpointsMax),
  secret_limit_reached: errorTexts.secret_limit_reached('2026-11-21T10:01:00.000Z'),
  payload_too_large: errorTexts.payload_too_large(maxBodyBytes),
  unsupported_media_type: errorTexts.unsupported_media_type('application/json'),
  rate_limit_exceeded: `${errorTexts.rate_limit_exceeded(60, 'minute')} Try again in 17 seconds.`,
  message_limit_reached: 'The limit of 10,000 messages per day is reached. Try again in 17 seconds.',
  spend_limit_reached: 'The limit of 100 USD per day is reached. Try again in 17 seconds.',
};

const exampleDetails: Readonly<Partial<Record<ErrorCode, readonly FieldError[]>>> = {
  invalid_request: [{ field: 'to', message: requiredField }],
  no_valid_recipients: [{ field: 'recipients[0].to', message: invalidRecipientText }],
};

/** Returns an example of the error's body, which is the same for every operation. */
export function errorExample(code: ErrorCode): Record<string, unknown> {
  const error = {
    code,
    message: exampleTexts[code],
    details: exampleDetails[code] ?? [],
    retryAfterSeconds: errorStatus[code] === 429 ? 17 : undefined,
  };
  return errorBody(error, '8f0c1f3e-5a2b-4a53-9c0e-2f6f8f5d7a10', baseUrlMarker);
}
