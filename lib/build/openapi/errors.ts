/** The schema of the error body, and for each error code when it is sent, with an example. */
import * as z from 'zod/mini';
import { webhookSecretsMax } from '../../../shared/client/client-admin.ts';
import { baseUrlMarker } from '../../../shared/contract/api.ts';
import {
  type ErrorCode,
  errorBody,
  errorStatus,
  errorTexts,
  type FieldError,
  type GatewayError,
  invalidFields,
  invalidRecipientText,
  limitReached,
  otpHeldText,
  rateLimitExceeded,
} from '../../../shared/contract/errors.ts';
import { policies } from '../../../shared/contract/limits.ts';
import { type Route, routes } from '../../../shared/contract/routes.ts';
import { idempotencyKeyHours } from '../../../shared/contract/times.ts';
import { tokenRequestBytesMax } from '../../../shared/http/authenticate-by-credentials.ts';
import { maxBodyBytes } from '../../../shared/http/request-body.ts';
import { described } from '../../../shared/operation/fields.ts';
import { endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';
import type { Description } from './description.ts';

const fieldError = z.object({
  field: described(z.string(), 'The faulty field, such as `recipients[2].to`.'),
  message: described(z.string(), 'What is wrong with it.'),
});

const error = z.object({
  error: described(z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]), 'A stable code.'),
  message: described(z.string(), 'A sentence for a person.'),
  request_id: described(z.string(), 'Equal to the header `X-Request-Id`; quote it when you ask for help.'),
  doc_url: described(
    z.optional(z.string()),
    'Where the documentation explains the code; absent where API Gateway itself refused the request.',
  ),
  details: described(
    z.optional(z.array(fieldError)),
    'The faulty fields, all of them at once; only where fields are at fault.',
  ),
  retry_after: z.optional(z.int().check(z.positive())),
  error_description: described(
    z.optional(z.string()),
    'Equal to `message` (RFC 6749); only on the token endpoint.',
  ),
});

export const errorSchemas = { ErrorResponse: error, FieldError: fieldError } as const;

interface ErrorNote {
  readonly when: string;
  /** The `message` of the example; absent if it is made for each operation. */
  readonly message?: string;
  readonly details?: readonly FieldError[];
}

export const errorNotes: Readonly<Record<ErrorCode, ErrorNote>> = {
  invalid_request: {
    when: 'The body is not a JSON object, fields are missing or not valid, or text is not well-formed Unicode. `details` names every faulty field.',
  },
  unsupported_grant_type: {
    when: '`grant_type` is not `client_credentials`.',
    message: errorTexts.unsupported_grant_type,
  },
  invalid_scope: {
    when: 'The client does not have the scope that `scope` asks for.',
    message: errorTexts.invalid_scope('admin'),
  },
  no_valid_recipients: {
    when: 'No recipient of the request is valid. `details` says why for each.',
    message: errorTexts.no_valid_recipients,
    details: [
      {
        field: 'recipients[0].to',
        message: invalidRecipientText,
      },
    ],
  },
  unauthorized: {
    when: 'The credential is missing or not valid: expired, revoked, altered, or of another scheme.',
    message: errorTexts.unauthorized,
  },
  invalid_client: {
    when: 'The client is unknown or the secret is wrong.',
    message: errorTexts.invalid_client,
  },
  forbidden: {
    when: 'The client is disabled, does not have the scope, is blocked from this endpoint, or may not send to the country of the recipient or from this sender. `message` names the country and what to do.',
    message: errorTexts.forbidden,
  },
  otp_held: {
    when: 'Few of the last one-time passwords by SMS of this client to this country were verified, which indicates that a program requests them. They are refused until the operator allows them; other countries and WhatsApp are not affected.',
    message: otpHeldText('FR'),
  },
  not_found: {
    when: 'The resource does not exist or belongs to another client: the response is the same.',
    message: errorTexts.not_found,
  },
  method_not_allowed: {
    when: 'The path does not have this method; `Allow` lists those that it has.',
    message: errorTexts.method_not_allowed('/api/v1/sms/send', 'GET', 'POST'),
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still being processed.',
    message: errorTexts.idempotency_in_progress,
  },
  otp_already_used: {
    when: 'The one-time password has already been verified.',
    message: errorTexts.otp_already_used,
  },
  otp_attempts_exhausted: {
    when: 'The one-time password has no attempts left: send a new one.',
    message: errorTexts.otp_attempts_exhausted,
  },
  not_cancelable: {
    when: 'The message is not scheduled, or it is already due.',
    message: errorTexts.not_cancelable,
  },
  endpoint_disabled: {
    when: 'The webhook endpoint is disabled.',
    message: errorTexts.endpoint_disabled,
  },
  endpoint_limit_reached: {
    when: `The client has ${endpointsMax} webhook endpoints, and can have no more.`,
    message: errorTexts.endpoint_limit_reached(endpointsMax),
  },
  secret_limit_reached: {
    when: `${webhookSecretsMax} webhook secrets of the account or the endpoint are in use after rotations, each until its overlap ends. \`message\` says when one of them ends.`,
    message: errorTexts.secret_limit_reached(webhookSecretsMax, '2026-11-21T10:01:00.000Z'),
  },
  concurrent_change: {
    when: 'Other requests are changing the same resource at this moment. Repeat the request.',
    message: errorTexts.concurrent_change,
  },
  otp_expired: {
    when: 'The one-time password has expired: send a new one.',
    message: errorTexts.otp_expired,
  },
  payload_too_large: {
    when: `The body is larger than ${maxBodyBytes / 1024 ** 2} MiB, or than ${tokenRequestBytesMax / 1024} KiB on the token endpoint.`,
  },
  unsupported_media_type: {
    when: 'The operation does not support this `Content-Type`, or the body has a `Content-Encoding`.',
  },
  idempotency_key_reused: {
    when: `This \`Idempotency-Key\` was used for a different request in the last ${idempotencyKeyHours} hours.`,
    message: errorTexts.idempotency_key_reused,
  },
  rate_limit_exceeded: {
    when: 'A rate limit is used up. `Retry-After` and `retry_after` say for how many seconds.',
  },
  message_limit_reached: {
    when: 'The client’s cap on messages has no room for all recipients of the request. Nothing is stored; `retry_after` says when the window resets.',
  },
  spend_limit_reached: {
    when: 'The client’s cap on estimated cost has no room for all recipients of the request. Nothing is stored; `retry_after` says when the window resets.',
  },
  internal_error: { when: 'The gateway failed to process the request.', message: errorTexts.internal_error },
  service_unavailable: {
    when: 'A service that the gateway needs is down or slow, or the gateway is in maintenance, where `Retry-After` says for how many seconds to wait. Repeat the request later.',
    message: errorTexts.service_unavailable,
  },
};

/** Makes an example of the error's body, with the fields and the limits of the operation. */
export function errorExample(
  code: ErrorCode,
  route: Route,
  description: Pick<Description, 'fieldError' | 'request'>,
): Record<string, unknown> {
  const note = errorNotes[code];
  const {
    message = note.message ?? '',
    details = note.details ?? [],
    retryAfterSeconds,
  } = ofOperation(code, route, description);
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

type ErrorOfOperation = Partial<Pick<GatewayError, 'message' | 'details' | 'retryAfterSeconds'>>;

function ofOperation(
  code: ErrorCode,
  route: Route,
  { fieldError, request }: Pick<Description, 'fieldError' | 'request'>,
): ErrorOfOperation {
  switch (code) {
    case 'invalid_request':
      // An operation without fields refuses only text that is not well-formed Unicode.
      return fieldError === undefined
        ? { message: 'The request holds text that is not well-formed Unicode.' }
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
      return rateLimitExceeded(`The limit of ${perMinute} requests per minute is used up.`, 17);
    }
    case 'message_limit_reached':
    case 'spend_limit_reached': {
      const amount = code === 'spend_limit_reached' ? '100 USD' : '10,000 messages';
      const fitted = request?.schema === 'BulkSms' ? ': 37 of the 100 recipients would have fitted' : '';
      return limitReached(code, `The limit of ${amount} per day is reached${fitted}.`, 5400);
    }
    default:
      return {};
  }
}
