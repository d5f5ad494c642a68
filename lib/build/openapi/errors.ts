/** The schema of the error body; for each error code when it is sent, and an example. */
import * as z from 'zod/mini';
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
import { policies, type Route, routes } from '../../../shared/contract/routes.ts';
import { idempotencyKeyHours } from '../../../shared/contract/validity.ts';
import { tokenRequestBytesMax } from '../../../shared/http/client-credentials.ts';
import { maxBodyBytes } from '../../../shared/http/request-body.ts';
import { described } from '../../../shared/operation/described.ts';
import { endpointsMax } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';
import type { Description } from './description.ts';

const fieldError = z.object({
  field: described(z.string(), 'The faulty field, such as `recipients[2].to`.'),
  message: described(z.string(), 'What is wrong with it.'),
});

const error = z.object({
  error: described(z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]), 'A stable code.'),
  message: described(z.string(), 'A sentence for a person.'),
  request_id: described(z.string(), 'Equal to the header `X-Request-Id`; tell it when you ask for help.'),
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
  /** The `message` of the example; none where it is made for the operation. */
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
    when: 'None of the recipients can be sent to. `details` says why for each.',
    message: errorTexts.no_valid_recipients,
    details: [
      {
        field: 'recipients[0].to',
        message: invalidRecipientText,
      },
    ],
  },
  unauthorized: {
    when: 'No credential, or one that is not valid: expired, revoked, altered, or of another scheme.',
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
    when: 'Few of the last one-time passwords by SMS of this client to this country were verified, which is the mark of a program that requests them. They are refused until the operator allows them; other countries and WhatsApp are not.',
    message: otpHeldText('FR'),
  },
  not_found: {
    when: 'It does not exist, or it belongs to another client: the response is the same.',
    message: errorTexts.not_found,
  },
  method_not_allowed: {
    when: 'The path takes other methods; `Allow` lists them.',
    message: errorTexts.method_not_allowed('/api/v1/sms/send', 'GET', 'POST'),
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still being worked on.',
    message: errorTexts.idempotency_in_progress,
  },
  otp_already_used: {
    when: 'The one-time password was verified before.',
    message: errorTexts.otp_already_used,
  },
  otp_attempts_exhausted: {
    when: 'No attempt is left: send a new one.',
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
  otp_expired: {
    when: 'The one-time password has expired: send a new one.',
    message: errorTexts.otp_expired,
  },
  payload_too_large: {
    when: `The body is larger than ${maxBodyBytes / 1024 ** 2} MiB, or than ${tokenRequestBytesMax / 1024} KiB on the token endpoint.`,
  },
  unsupported_media_type: {
    when: 'The operation does not take this `Content-Type`, or the body has a `Content-Encoding`.',
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
  internal_error: { when: 'Something went wrong on our side.', message: errorTexts.internal_error },
  service_unavailable: {
    when: 'A service that the gateway needs is down or slow. Repeat the request later.',
    message: errorTexts.service_unavailable,
  },
};

/** An example of the error's body: the fields and the limits in it are those of the operation. */
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
    ...errorBody({ code, message, details, retryAfterSeconds }, '8f0c1f3e-5a2b-4a53-9c0e-2f6f8f5d7a10'),
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
      // An operation without fields refuses only what is no text.
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
      return rateLimitExceeded(`The limit of ${perMinute} requests a minute is used up.`, 17);
    }
    case 'message_limit_reached':
    case 'spend_limit_reached': {
      const amount = code === 'spend_limit_reached' ? '100 USD' : '10,000 messages';
      const fitted = request?.schema === 'BulkSms' ? ': 37 of the 100 recipients would have fitted' : '';
      return limitReached(code, `The limit of ${amount} a day is reached${fitted}.`, 5400);
    }
    default:
      return {};
  }
}
