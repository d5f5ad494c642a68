/** What an answer of the gateway had besides its body. */
import { ArgumentError } from './errors.ts';

export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number;
  readonly headers: Headers;
  /** Quote it to support. */
  readonly requestId: string | undefined;
  /** Whether this is the answer of an earlier request with the same idempotency key. */
  readonly isReplay: boolean;
}

const responses = new WeakMap<object, ResponseInfo>();

export function rememberResponse(answer: object, { status, headers }: Response): void {
  responses.set(answer, {
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    isReplay: headers.get('idempotent-replayed') === 'true',
  });
}

/**
 * Returns the status, the headers, the request id and the replay flag of an answer: `responseOf(await gateway.sms.send(…))`.
 *
 * @throws ArgumentError for an object that no method returned, such as a copy
 */
export function responseOf(answer: object): ResponseInfo {
  const found = responses.get(answer);
  if (found === undefined)
    throw new ArgumentError('responseOf takes the very object that a method returned.');
  return found;
}
