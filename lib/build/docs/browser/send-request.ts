/** Sends a request of the console, with an access token that it requests for the credentials, or with an API key. */
import type { Credentials } from './credentials.ts';

export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  /** Whether it needs a token. */
  readonly authorized: boolean;
}

export interface Answer {
  /** `202 Accepted in 84 ms` */
  readonly title: string;
  /** Undefined where there was no answer. */
  readonly status?: number;
  readonly headers: string;
  /** JSON is indented. */
  readonly body: string;
}

/** The address is relative to the page, so that it is right below any prefix. */
const addressOf = (path: string): string => `${document.body.dataset.root}${path.replace(/^\/+/, '')}`;

const shownHeaders = /^(x-(?!amz)|ratelimit|retry-after|idempotent|preference|deprecation|sunset)/;

/** Tokens by the credentials for which they were issued; a token is valid for an hour. */
const tokens = new Map<string, string>();

/** @returns the answer, and the token or key with which it was asked for */
export async function send(
  request: TriedRequest,
  body: string | undefined,
  { client_id = '', client_secret = '' }: Credentials,
): Promise<{ readonly answer: Answer; readonly token?: string }> {
  if (!request.authorized) return { answer: await answerTo(request, body) };
  if (client_secret.startsWith('sk-'))
    return { answer: await answerTo(request, body, client_secret), token: client_secret };
  const key = `${client_id} ${client_secret}`;
  const token = tokens.get(key) ?? (await tokenOf(client_id, client_secret));
  if (typeof token !== 'string') return { answer: token };
  tokens.set(key, token);
  const answer = await answerTo(request, body, token);
  if (answer.status === 401) tokens.delete(key);
  return { answer, token };
}

/** The token, or the answer that refuses it. */
async function tokenOf(client_id: string, client_secret: string): Promise<string | Answer> {
  const request = { method: 'POST', path: '/api/v1/auth/token', authorized: false };
  const credentials = { grant_type: 'client_credentials', client_id, client_secret };
  const answer = await answerTo(request, JSON.stringify(credentials));
  if (answer.status !== 200) return { ...answer, title: `No access token: ${answer.title}` };
  return String((JSON.parse(answer.body) as { readonly access_token: unknown }).access_token);
}

async function answerTo({ method, path }: TriedRequest, body?: string, token?: string): Promise<Answer> {
  const began = performance.now();
  try {
    const response = await fetch(addressOf(path), {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      cache: 'no-store',
      credentials: 'omit',
    });
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    return {
      // HTTP/2 has no text of a status.
      title: [response.status, response.statusText, `in ${took} ms`].filter(Boolean).join(' '),
      status: response.status,
      headers: [...response.headers]
        .filter(([name]) => shownHeaders.test(name))
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
      body: indented(text),
    };
  } catch (error) {
    return { title: 'No answer', headers: '', body: String(error) };
  }
}

export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The JSON of an answer with status 200. */
export async function read(path: string, token: string): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await answerTo({ method: 'GET', path, authorized: true }, undefined, token);
  return status === 200 ? (JSON.parse(body) as Record<string, unknown>) : undefined;
}
