/**
 * Decides from a failed call whether the carrier has the message: it refused the message, or it did not get it, or
 * that cannot be known, and the error is thrown again. Neither service has an idempotency token, so a message that
 * the carrier may have must never count as not sent.
 */
import type { HandOver } from '../../message/dispatch/carrier.ts';
import { refusedWith, type VendorErrors } from '../carrier-module.ts';

/** The fields of the exceptions of both services; any of them may be missing. */
interface CallError {
  readonly name?: string;
  readonly code?: string;
  readonly syscall?: string;
  /** The errors of the host's addresses, one for each. */
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

/** Errors with status 400 and 403 that are not about the message: wrong credentials. */
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

/** System calls before the connection is open: when one of these fails, nothing was sent. */
const connectingSteps: readonly string[] = ['getaddrinfo', 'connect'];

/** Faults of the service and of its front end. */
const ownFaults: readonly string[] = [
  'InternalServerException',
  'InternalServiceException',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  'ServiceUnavailableException',
];

/**
 * Their statuses; 502 and 504 come from a proxy. A proxy can answer 429, 500 and 503 too after it has forwarded the
 * request, so a status counts only with an error that AWS names: the SDK calls others `Unknown` or `SyntaxError`, or
 * by whatever `code` there is.
 */
const ownFaultStatuses: readonly number[] = [500, 503];

/**
 * The outcome of a hand-over whose call failed.
 *
 * @param errors - by `Name/Reason`, or else by `Name`
 * @throws the error itself when the carrier may have the message.
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
  // The SDK names every time-out alike; only the text of a connection time-out differs.
  if (fault.name === 'TimeoutError') return (fault.message ?? '').includes('did not establish a connection');
  if (fault.errors !== undefined && fault.errors.length > 0) return fault.errors.every(neverConnected);
  return connectingSteps.includes(fault.syscall ?? '');
}
