/**
 * The proxy at the local gateway's address. It forwards requests to the API in the emulator, and makes requests above the
 * limit of concurrent ones wait.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Agent } from 'undici';
import { errorBody, GatewayError } from '../../shared/contract/errors.ts';
import { apiStageName } from '../../shared/contract/routes.ts';
import { notCounted } from '../capabilities/api/gateway-responses.ts';
import { StartFailure } from './start-failure.ts';

/** For each request, the emulator runs a process, so a small machine can run 16 at once. */
const connections = 16;
/** Headers that belong to only one connection (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** On AWS, API Gateway sets these headers, so the proxy ignores the caller's values. */
const replaced = new Set(['host', 'expect', 'x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']);

/** Where the proxy forwards requests: the deployed API in the emulator. */
interface Target {
  readonly endpoint: string;
  readonly apiId: string;
}

export type Front = Awaited<ReturnType<typeof startFront>>;

/**
 * Listens on the loopback address; port 0 means any free port.
 *
 * @throws StartFailure if the port is already used.
 */
export async function startFront(port: number) {
  const agent = new Agent({ connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  let target: Target | undefined;
  const server = createServer((request, response) => {
    if (!hasValidPercents(request.url ?? '/')) return refuse(response, badPercent);
    const passed =
      target === undefined ? Promise.reject(new Error('starting')) : pass(agent, target, request, response);
    passed.catch(() => refuse(response, unavailable));
  });
  // Unknown expectations are ignored (RFC 9110, section 10.1.1). By default, Node itself would respond.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Only the caller closes idle connections, because the proxy could close one on which a request is arriving.
  server.keepAliveTimeout = 0;
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    /** Starts forwarding. Until then, the proxy responds with 503. */
    open(opened: Target): void {
      target = opened;
    },
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await agent.destroy();
    },
  };
}

async function pass(
  agent: Agent,
  target: Target,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const hasBody =
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  const upstream = await agent.request({
    origin: target.endpoint,
    path: `/${apiStageName}${pathOf(request.url ?? '/')}`,
    method: request.method ?? 'GET',
    headers: forwardedHeaders(request, target),
    body: hasBody ? request : null,
    signal: gone.signal,
  });
  // The emulator sends this response if it killed the function. API Gateway would send its own generated response instead.
  if (upstream.statusCode >= 500 && upstream.headers['x-request-id'] === undefined) {
    await upstream.body.dump();
    refuse(response, killed);
    return;
  }
  const headers = Object.entries(upstream.headers).filter(
    (header): header is [string, string | string[]] => header[1] !== undefined && !hopByHop.has(header[0]),
  );
  response.writeHead(upstream.statusCode, Object.fromEntries(headers));
  await pipeline(upstream.body, response);
}

function forwardedHeaders(request: IncomingMessage, { apiId }: Target): string[] {
  const headers: string[] = [];
  const raw = request.rawHeaders;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const lowerCase = name.toLowerCase();
    if (!hopByHop.has(lowerCase) && !replaced.has(lowerCase)) headers.push(name, raw[index + 1] ?? '');
  }
  const peer = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  // The emulator routes requests by this host name, so callers of the proxy can reach only the API.
  return [
    ...headers,
    'Host',
    `${apiId}.execute-api.localhost`,
    'X-Forwarded-For',
    peer,
    'X-Forwarded-Proto',
    'http',
  ];
}

/**
 * Returns the path of a request target. Clients of a proxy send an absolute URL (RFC 9112, section 3.2.2), and `OPTIONS *`
 * has no path.
 */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url === null ? '/*' : `${url.pathname}${url.search}`;
}

/**
 * Returns true if two hexadecimal digits follow every percent sign. API Gateway refuses other targets, because it decodes
 * paths and queries.
 */
function hasValidPercents(target: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(target);
}

const badPercent = new GatewayError(
  'invalid_request',
  'A percent sign in the path or the query must be followed by two hexadecimal digits (write the percent sign itself as %25).',
);
const killed = new GatewayError(
  'service_unavailable',
  'The function ended before it responded. You can retry the request.',
);
const unavailable = new GatewayError(
  'service_unavailable',
  'The local gateway is starting or its emulator ended.',
);
/** Responds in the form of the responses that API Gateway generates. */
function refuse(response: ServerResponse, error: GatewayError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...notCounted.headers };
  response.writeHead(error.status, headers).end(JSON.stringify(errorBody(error, requestId)));
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') {
      throw new StartFailure(`Port ${port} is already used; choose another with --port.`, { cause: error });
    }
    throw error;
  }
}
