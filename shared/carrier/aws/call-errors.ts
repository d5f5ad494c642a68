/**
 * Decides from a failed call if the carrier has the message. The carrier refused the message, did not get it, or may have
 * it. If the carrier may have it, the error is thrown again. AWS has no idempotency token, so such a message must never be
 * treated as not sent.
 */
import type { HandOver } from '../../message/dispatch/carrier.ts';
import { refusedWith, type VendorErrors } from '../carrier-module.ts';

/** The fields of the errors of both AWS services; any of them may be missing. */
interface CallError {
  readonly name?: string;
  readonly code?: string;
  readonly syscall?: string;
  /** The errors of the attempts to connect, one for each address of the host. */
  readonly errors?: readonly CallError[];
  readonly message?: string;
  readonly Reason?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const throttled: readonly string[] = [
  'ThrottlingException',
  'Throttling',
  'ThrottledException',
  'ThrottledRequestException',
  'RequestThrottled',
  'RequestThrottledException',
  'TooManyRequestsException',
  'LimitExceededException',
  'RequestLimitExceeded',
  'SlowDown',
];

/** Errors with status 400 or 403 whose cause is the credentials, and not the message. */
const notTaken: readonly string[] = [
  'AccessDeniedException',
  'AccessDeniedByMetaException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'IncompleteSignatureException',
  'ExpiredTokenException',
  'ExpiredToken',
  'RequestExpired',
  'CredentialsProviderError',
];

/** System calls that happen before the connection is open. If one of them fails, nothing was sent. */
const connectingSteps: readonly string[] = ['getaddrinfo', 'connect'];

/** Errors inside AWS, after which the carrier does not have the message. */
const ownFaults: readonly string[] = [
  'InternalServerException',
  'InternalServiceException',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  'ServiceUnavailableException',
];

/**
 * The statuses of these errors; 502 and 504 come from a proxy. A proxy can also send 429, 500 or 503 after it has forwarded
 * the request, so a status counts only with an error name of AWS. For other errors, the SDK uses the name `Unknown`,
 * `SyntaxError`, or any `code` in the response.
 */
const ownFaultStatuses: readonly number[] = [500, 503];

/**
 * Returns the outcome of a hand-over whose call failed.
 *
 * @param errors - keyed by `Name/Reason`, or else by `Name`
 * @throws the error itself if the carrier may have the message.
 */
export function outcomeOfError(error: unknown, errors: VendorErrors): HandOver {
  const fault: CallError = typeof error === 'object' && error !== null ? error : {};
  const name = fault.name ?? '';
  const refused = errors[`${name}/${fault.Reason ?? ''}`] ?? errors[name];
  if (refused !== undefined) return refusedWith(refused);
  const status = fault.$metadata?.httpStatusCode;
  if (throttled.includes(name)) return { outcome: 'throttled', reason: name };
  if (notTaken.includes(name)) return { outcome: 'not_taken', reason: name };
  if (status !== undefined && ownFaultStatuses.includes(status) && ownFaults.includes(name))
    return { outcome: 'not_taken', reason: `${name} ${status}` };
  if (status === undefined && neverConnected(fault))
    return { outcome: 'not_taken', reason: fault.code ?? name };
  throw error;
}

function neverConnected(fault: CallError): boolean {
  // The SDK gives all timeouts the same name; only the text tells a connection timeout from the others.
  if (fault.name === 'TimeoutError') return (fault.message ?? '').includes('did not establish a connection');
  if (fault.errors !== undefined && fault.errors.length > 0) return fault.errors.every(neverConnected);
  return connectingSteps.includes(fault.syscall ?? '');
}
