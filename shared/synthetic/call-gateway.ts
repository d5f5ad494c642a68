/** Calls the gateway by its public address, as a client does. */

/** Longer than any request takes that meets the objectives, also one with a cold start. */
const timeLimitMs = 5000;

export interface GatewayResponse {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

export type CallGateway = (
  path: string,
  request: { readonly token?: string; readonly body?: object },
) => Promise<GatewayResponse>;

/** The call throws where there is no response in time, or one that is no JSON. */
export function callGateway(baseUrl: string): CallGateway {
  return async (path, { token, body }) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        // A connection that is kept while Lambda freezes the function may be closed at its other end.
        Connection: 'close',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    });
    return { status: response.status, body: await response.json() };
  };
}
