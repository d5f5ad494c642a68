/**
 * Receives a carrier's call: verifies it over its raw bytes before it reads anything in it, and answers after the call is in
 * the receipts queue. A call that fails changes nothing and counts against the caller's address; a verified one is not counted.
 *
 *   verified ─ crash → the carrier has no response, and calls again
 *   stored in the queue ─ crash → the same; a repeated report changes nothing
 */
import { errorTexts, GatewayError } from '../contract/errors.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { orUnavailable } from '../http/response.ts';
import type { Operation } from '../operation/operation.ts';
import type { CallbackRequest, CarrierReports } from './carrier-module.ts';
import { type CredentialsOf, NoCredentials } from './carrier-secrets.secrets.ts';
import { callbackBytesMax, type StoredCallback, toStore } from './queued-report.ts';

/** The parts of a request that prove its caller. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const path = /^\/carriers\/([a-z]+)\/(.+)$/;

export function callbackOperations(dependencies: {
  readonly carriers: readonly CarrierReports[];
  readonly credentialsOf: CredentialsOf;
  /** The gateway's own address, which carriers call. */
  readonly baseUrl: string;
  readonly store: (callback: StoredCallback) => Promise<void>;
  readonly warn: (message: string, error: unknown) => void;
}) {
  /** Returns the carrier, and the response to a challenge; undefined if the caller is not proven to be a carrier. */
  async function verified(call: Call): Promise<{ carrier: string; challenge?: string } | undefined> {
    const [, name, rest = ''] = path.exec(call.path) ?? [];
    const found = dependencies.carriers.find(({ descriptor }) => descriptor.name === name);
    if (found?.callbacks === undefined || name === undefined) return undefined;
    const { callbacks } = found;
    const request = requestOf(call, rest, dependencies.baseUrl);
    const credentials = await dependencies.credentialsOf(name, callbacks.credentials).catch((error) => {
      dependencies.warn('the callback of a carrier cannot be verified', error);
      if (error instanceof NoCredentials) return undefined;
      // The secret cannot be read: after a 503 a carrier calls again, after a 403 it does not.
      throw error;
    });
    if (credentials === undefined) return undefined;
    try {
      if (call.method === 'POST')
        return callbacks.verify(request, credentials) ? { carrier: name } : undefined;
      const challenge = call.method === 'GET' ? callbacks.answerChallenge?.(request, credentials) : undefined;
      return challenge === undefined ? undefined : { carrier: name, challenge };
    } catch (error) {
      dependencies.warn('the callback of a carrier cannot be verified', error);
      return undefined;
    }
  }

  const authenticate: Authenticator = async (incoming) => {
    const subject = { kind: 'address', address: incoming.sourceIp } as const;
    if (incoming.rawBody.length > callbackBytesMax) {
      const message = errorTexts.payload_too_large(callbackBytesMax);
      return { subject, refusal: new GatewayError('payload_too_large', message) };
    }
    const call = await verified({ ...incoming, body: incoming.rawBody });
    return call === undefined ? { subject, refusal: notProven() } : { subject: undefined };
  };

  const receive: Operation = async (request) => {
    const call = await orUnavailable(verified({ ...request, body: request.rawBody }));
    if (call === undefined) throw notProven();
    const { carrier, challenge } = call;
    if (challenge === undefined) {
      const [, , rest = ''] = path.exec(request.path) ?? [];
      const { query, rawBody, now } = request;
      const callback = toStore({ carrier, path: rest, query, received_at: now.toISOString() }, rawBody);
      if (callback === undefined)
        throw new GatewayError('payload_too_large', 'The body does not fit the queue, even compressed.');
      await dependencies.store(callback);
    }
    const headers = { 'Content-Type': 'text/plain' };
    // Twilio would send a text to the person as a reply.
    return { status: 200, headers, body: challenge ?? '', log: { carrier } };
  };

  return { authenticate, receive };
}

function notProven(): GatewayError {
  return new GatewayError('forbidden', 'The caller is not proven to be a carrier.');
}

function requestOf(
  { method, path: whole, query, headers, body }: Call,
  rest: string,
  baseUrl: string,
): CallbackRequest {
  const search = new URLSearchParams(query).toString();
  return {
    method: method === 'GET' ? 'GET' : 'POST',
    url: `${baseUrl}${whole}${search === '' ? '' : `?${search}`}`,
    path: rest,
    query,
    headers,
    body,
  };
}
