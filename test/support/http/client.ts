/** A client of the deployed gateway: what a program does over HTTP. */
import { type Answer, httpCall } from './http-call.ts';

export function call(
  method: string,
  path: string,
  { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return httpCall(method, path, { body, headers: { ...authorization, ...headers } });
}

export async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const { body, text } = await call('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  });
  if (typeof body.access_token !== 'string') throw new Error(`no token: ${text}`);
  return body.access_token;
}
