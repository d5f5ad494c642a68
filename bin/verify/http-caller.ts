/** Requests to the stage, and the place where its webhooks can be received. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type SecureVersion } from 'node:tls';
import { jsonIn } from '../../shared/platform/object-fields.ts';
import type { Receiver, Request, Response } from './verified-stage.ts';

const timeLimitMs = 60_000;

export type Caller = (method: string, path: string, request?: Request) => Promise<Response>;

export function callerOf(baseUrl: string): Caller {
  return async (method, path, { headers = {}, body } = {}) => {
    const begun = performance.now();
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: objectIn(text),
      tookMs: performance.now() - begun,
    };
  };
}

function objectIn(text: string): Response['body'] {
  const parsed = jsonIn(text);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

/** @param url - the address from which requests come to this port; by default this machine's own */
export async function startReceiver(port: number, url?: string): Promise<Receiver & { close(): void }> {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    received.push({ headers: Object.fromEntries(headers), body: Buffer.concat(parts).toString() });
    response.writeHead(200).end();
  }).listen(port, url === undefined ? '127.0.0.1' : undefined);
  await once(server, 'listening');
  return {
    url: url ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Whether the server completes a handshake with nothing newer than this version. */
export function acceptsTls(baseUrl: string, version: SecureVersion): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const options = {
    host: hostname,
    servername: hostname,
    port: port === '' ? 443 : Number(port),
    minVersion: version,
    maxVersion: version,
    // OpenSSL offers the old versions only at this level.
    ciphers: 'DEFAULT@SECLEVEL=0',
    // Every other request checks the certificate.
    rejectUnauthorized: false,
    timeout: 10_000,
  };
  return new Promise((resolve) => {
    const socket = connect(options, () => end(true));
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
