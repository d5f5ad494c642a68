/**
 * Tells from a failed call whether the carrier took the message: refused and not taken are answers, and where
 * it cannot be known the error is thrown on. Neither service has an idempotency token, so a message that may
 * have been taken must never be called not taken.
 */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import type { HandOver } from '../../message/dispatch/carrier.ts';

/** What both services' exceptions carry; everything in it may be missing. */
interface CallError {
  readonly name?: string;
  readonly code?: string;
  readonly syscall?: string;
  /** Where a name has several addresses, an error for each. */
  readonly errors?: readonly CallError[];
  readonly message?: string;
  readonly Reason?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** By `Name/Reason` first, then by `Name`. */
export type RefusalTable = Readonly<Record<string, MessageErrorCode>>;

/** Answers of 400 and 403 that say nothing of the message: too many calls, or credentials to be put right. */
const notTaken: readonly string[] = [
  'ThrottlingException',
  'ThrottledRequestException',
  'TooManyRequestsException',
  'LimitExceededException',
  'RequestLimitExceeded',
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

/** The steps before a connection stands: when one of these fails, not a byte of the request was sent. */
const connectingSteps: readonly string[] = ['getaddrinfo', 'connect'];

/** Statuses that a service itself answers with. Of 502 and 504 a proxy is the author, who may have passed it on. */
const ownFaults: readonly number[] = [500, 503];

/**
 * The outcome of a hand-over whose call failed.
 *
 * @throws the error itself when the message may have been taken.
 */
export function outcomeOfError(error: unknown, refusalTable: RefusalTable): HandOver {
  const fault: CallError = typeof error === 'object' && error !== null ? error : {};
  const name = fault.name ?? '';
  const refused = refusalTable[`${name}/${fault.Reason ?? ''}`] ?? refusalTable[name];
  if (refused !== undefined) return { outcome: 'refused', ...messageError(refused) };
  const status = fault.$metadata?.httpStatusCode;
  if (notTaken.includes(name) || status === 429) return { outcome: 'try_again', reason: name || 'throttled' };
  if (status !== undefined && ownFaults.includes(status))
    return { outcome: 'try_again', reason: `${name} ${status}` };
  if (status === undefined && neverConnected(fault))
    return { outcome: 'try_again', reason: fault.code ?? name };
  throw error;
}

function neverConnected(fault: CallError): boolean {
  // The SDK gives its connection time-out the name of any time-out, and no more to tell it by than its text.
  if (fault.name === 'TimeoutError') return (fault.message ?? '').includes('did not establish a connection');
  if (fault.errors !== undefined && fault.errors.length > 0) return fault.errors.every(neverConnected);
  return connectingSteps.includes(fault.syscall ?? '');
}
