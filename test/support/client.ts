/** A client of the deployed gateway: what a program does over HTTP. */
import { gateway } from './gateway.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export async function call(
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { token, body } = options;
  const response = await fetch(`${gateway().base_url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

export async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const { body, text } = await call('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  });
  if (typeof body.access_token !== 'string') throw new Error(`no token: ${text}`);
  return body.access_token;
}
