/**
 * One request to the gateway under test. Whatever it answers is held against the gateway's own OpenAPI document,
 * status, body and headers, so that every test of the deployed gateway is a test of its document too.
 */
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { gateway } from '../gateway/gateway.ts';
import { apiDocument } from './api-document.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** Empty where it is no JSON. */
  readonly body: Record<string, unknown>;
}

interface HttpCall {
  /** Sent as JSON; text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const timeLimitMs = 90_000;
let document: ReturnType<typeof apiDocument> | undefined;

/** @throws Error that names what is not as the document says. */
export async function httpCall(
  method: string,
  path: string,
  { body, headers = {} }: HttpCall = {},
): Promise<Answer> {
  const response = await fetch(`${gateway().base_url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeLimitMs),
  });
  const text = await response.text();
  document ??= apiDocument(openApiDocument());
  const { status } = response;
  const faults = document.faultsOf({
    method,
    path,
    status,
    headers: Object.fromEntries(response.headers),
    text,
  });
  if (faults.length > 0) throw new Error(`${method} ${path} ${status}: ${faults.join('; ')}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}
