/** One request to a gateway. Its response must be as the OpenAPI document says: status, headers and body. */
import type { ApiDocument } from './api-document.ts';

export interface CallResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; empty if the response is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpCall {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No response takes so long, on however slow a machine. */
export const timeLimitMs = 240_000;

/** @throws Error that names each difference from the document */
export async function httpCall(
  { baseUrl, document }: { readonly baseUrl: string; readonly document: ApiDocument },
  method: string,
  path: string,
  { body, headers = {} }: HttpCall = {},
): Promise<CallResponse> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeLimitMs),
  });
  const { status } = response;
  const text = await response.text();
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
