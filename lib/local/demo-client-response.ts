/**
 * GET /docs/demo-client: the demo client's credentials, which the documentation pages put into their commands. Only the
 * local gateway's proxy answers it, so no gateway on AWS can; and only to programs and pages of this machine.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface DemoClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
}

/** @returns whether the request was one for the demo client, and has its response */
export function respondWithDemoClient(
  demoClient: DemoClient | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (demoClient === undefined || request.method !== 'GET' || request.url !== '/docs/demo-client')
    return false;
  // Refused like any unknown page, by the gateway.
  if (!isOfThisMachine(request)) return false;
  const { client_id, client_secret, webhook_secret } = demoClient;
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(JSON.stringify({ client_id, client_secret, webhook_secret }));
  return true;
}

/**
 * A page from elsewhere can neither read the response, which names no other origin, nor reach it under a name of its own that
 * it points to this machine (DNS rebinding): then `Host` is that name.
 */
function isOfThisMachine({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '');
}
