/** The schema of the error body, and a description and an example of each error code. */
import * as z from 'zod/mini';
import {
  type ErrorCode,
  errorBody,
  errorStatus,
  errorTexts,
  type GatewayError,
  invalidFields,
  invalidRecipientText,
  limitReached,
  otpHeldText,
  rateLimitExceeded,
} from '../../../shared/contract/errors.ts';
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { baseUrlMarker, type Route, routes } from '../../../shared/contract/routes.ts';
import { tokenRequestBytesMax } from '../../../shared/http/authenticate-by-credentials.ts';
import { maxBodyBytes } from '../../../shared/http/read-request.ts';
import { described } from '../../../shared/operation/fields.ts';
import { endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';
import type { Description } from './description.ts';

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

/** Describes when each code is sent. */
export const errorNotes: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'The body is not a JSON object, a field is missing or not valid, or a text is not well-formed Unicode. `details` names every faulty field.',
  unsupported_grant_type: '`grant_type` is not `client_credentials`.',
  invalid_scope: 'The client does not have the scope that `scope` requests.',
  no_valid_recipients: 'No recipient of the request is valid. `details` says why for each.',
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
    'There are already two active secrets, because the overlap of a rotation has not ended. `message` says when the older one expires.',
  concurrent_change: 'Other requests are changing the same resource. Repeat the request.',
  otp_expired: 'The one-time password has expired: send a new one.',
  payload_too_large: `The body is larger than ${maxBodyBytes / 1024 ** 2} MiB, or than ${tokenRequestBytesMax / 1024} KiB on the token endpoint.`,
  unsupported_media_type:
    'The operation does not support this `Content-Type`, or the body has a `Content-Encoding`.',
  idempotency_key_reused: 'This `Idempotency-Key` was used for a different request. Use a new key.',
  rate_limit_exceeded: 'A rate limit is used up. `Retry-After` and `retry_after` say for how many seconds.',
  message_limit_reached:
    'The client’s cap on messages has no room for all recipients of the request. Nothing is stored. `retry_after` says when the window resets.',
  spend_limit_reached:
    'The client’s cap on estimated cost has no room for the request. Nothing is stored. `retry_after` says when the window resets.',
  internal_error: 'The gateway failed to process the request.',
  service_unavailable:
    'A service that the gateway needs is down or slow, or the gateway is in maintenance. Repeat the request after the number of seconds in `Retry-After`, if the response contains this header.',
};

/** Returns an example of the error's body, with the fields and the limits of the operation. */
export function errorExample(
  code: ErrorCode,
  route: Route,
  description: Description,
): Record<string, unknown> {
  const { message, details = [], retryAfterSeconds } = errorOf(code, route, description);
  return {
    ...errorBody(
      { code, message, details, retryAfterSeconds },
      '8f0c1f3e-5a2b-4a53-9c0e-2f6f8f5d7a10',
      baseUrlMarker,
    ),
    ...(onTokenEndpoint(route) ? { error_description: message } : {}),
  };
}

const onTokenEndpoint = ({ path }: Route): boolean => path === routes.issueToken.path;

function errorOf(
  code: ErrorCode,
  route: Route,
  { fieldError, request }: Description,
): {
  readonly message: string;
  readonly details?: GatewayError['details'];
  readonly retryAfterSeconds?: number | undefined;
} {
  switch (code) {
    case 'invalid_request':
      // An operation without fields refuses only malformed Unicode.
      return fieldError === undefined
        ? { message: 'The request contains text that is not well-formed Unicode.' }
        : invalidFields([fieldError]);
    case 'payload_too_large':
      return {
        message: errorTexts.payload_too_large(onTokenEndpoint(route) ? tokenRequestBytesMax : maxBodyBytes),
      };
    case 'unsupported_media_type': {
      const form = onTokenEndpoint(route) ? ' or application/x-www-form-urlencoded' : '';
      return { message: errorTexts.unsupported_media_type(`application/json${form}`) };
    }
    case 'rate_limit_exceeded': {
      const { perMinute } = policies[route.policy];
      return rateLimitExceeded(errorTexts.rate_limit_exceeded(perMinute, 'minute'), 17);
    }
    case 'message_limit_reached':
    case 'spend_limit_reached': {
      const amount = code === 'spend_limit_reached' ? '100 USD' : '10,000 messages';
      const fitted = request?.schema === 'BulkSms' ? ': 37 of the 100 recipients would have fitted' : '';
      return limitReached(code, `The limit of ${amount} per day is reached${fitted}.`, 5400);
    }
    case 'invalid_scope':
      return { message: errorTexts.invalid_scope('admin') };
    case 'otp_held':
      return { message: otpHeldText('FR') };
    case 'method_not_allowed':
      return { message: errorTexts.method_not_allowed('/api/v1/sms/send', 'GET', 'POST') };
    case 'endpoint_limit_reached':
      return { message: errorTexts.endpoint_limit_reached(endpointsMax) };
    case 'secret_limit_reached':
      return { message: errorTexts.secret_limit_reached('2026-11-21T10:01:00.000Z') };
    case 'no_valid_recipients':
      return {
        message: errorTexts.no_valid_recipients,
        details: [{ field: 'recipients[0].to', message: invalidRecipientText }],
      };
    default:
      return { message: errorTexts[code] };
  }
}
