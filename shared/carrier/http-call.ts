/**
 * Makes one call of a carrier's API, without retries. If no connection was made, the carrier did not get the request. If no
 * response came, the carrier may have got it.
 */

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import * as z from 'zod/mini';
import type { CallContext, CredentialCheck } from './carrier-module.ts';

/** Permits http only for a test server on the same machine, because every call contains a credential. */
export const vendorAddress = z.url().check(
  z.regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/),
  z.overwrite((url) => url.replace(/\/+$/, '')),
);

/** Returns the credentials for calls: the newest set, if there are two. */
export async function newestOf<Credentials>({ credentials }: CallContext<Credentials>): Promise<Credentials> {
  const [newest] = await credentials();
  if (newest === undefined) throw new Error('the carrier has no credentials');
  return newest;
}

/** Checks the credentials with a call that sends no message. */
export async function checkedBy(call: ReturnType<typeof callVendor>): Promise<CredentialCheck> {
  const response = await call;
  if (!response.connected) return { works: false, answer: response.reason };
  return { works: response.status === 200, answer: `${response.status}` };
}

/** A connection that succeeds needs only a fraction of this time. */
const connectingMsMax = 2000;

/** No response of a carrier is nearly as long as this. */
const responseCharactersMax = 1_000_000;

/** @throws if the carrier may have got the request. The error contains no headers and no bodies. */
export function callVendor({
  url,
  method,
  headers,
  body,
  timeLimitMs,
}: {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeLimitMs: number;
}): Promise<
  /** The carrier did not get the request. */
  | { readonly connected: false; readonly reason: string }
  | { readonly connected: true; readonly status: number; readonly text: string }
> {
  const isSecure = url.startsWith('https:');
  return new Promise((resolve, reject) => {
    let isConnected = false;
    // Keeps no connection open: a carrier may close it while the function is frozen, and the next request would fail.
    const request = (isSecure ? httpsRequest : httpRequest)(url, { method, headers, agent: false });
    const limits = [
      setTimeout(() => {
        if (!isConnected) request.destroy(new Error('no connection'));
      }, connectingMsMax),
      setTimeout(() => request.destroy(new Error('no response in time')), timeLimitMs),
    ];
    const ended = (): void => {
      for (const limit of limits) clearTimeout(limit);
    };
    const failed = (error: NodeJS.ErrnoException): void => {
      ended();
      const reason = error.code ?? error.message;
      if (isConnected) reject(new Error(`the call of the carrier failed: ${reason}`));
      else resolve({ connected: false, reason });
    };
    request.once('error', failed);
    request.once('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      }),
    );
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (some: string) => {
        text += some;
        if (text.length > responseCharactersMax) request.destroy(new Error('the response is too long'));
      });
      response.once('error', failed);
      response.once('end', () => {
        ended();
        if (!response.complete) failed(new Error('the response is cut'));
        else resolve({ connected: true, status: response.statusCode ?? 0, text });
      });
    });
    request.end(body);
  });
}
