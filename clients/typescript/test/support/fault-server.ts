/** A gateway for the tests of the clients that answers as it is told: with errors, late, or not at all. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { startServer } from '../../../../test/support/http/local-server.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What becomes of a request; `drop` closes the connection after the request was read. */
export type Reply =
  | 'drop'
  | 'hang'
  | 'half'
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface FaultServer {
  readonly baseUrl: string;
  /** All but the token requests. */
  readonly requests: readonly SeenRequest[];
  readonly tokenRequests: readonly SeenRequest[];
  close(): Promise<void>;
}

export const acceptedSms = {
  message_id: 'msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A',
  status: 'queued',
  channel: 'sms',
  recipient: '+447700900123',
  reference: null,
  created_at: '2026-11-20T10:00:00.000Z',
  encoding: 'GSM-7',
  segments: 1,
};

export const refusal = (status: number, error: string, more: object = {}): Reply => ({
  status,
  body: { error, message: `It is ${error}.`, request_id: 'req_1', ...more },
});

/**
 * @param replies - to the requests in their order; then 202 with an accepted SMS
 * @param options.tokenReply - to the n-th token request
 * @param options.onHang - called for a request that gets no response, after it was read
 */
export async function startFaultServer(
  replies: readonly (Reply | ((request: SeenRequest) => Reply))[],
  {
    tokenReply,
    onHang,
  }: { readonly tokenReply?: (request: number) => Reply; readonly onHang?: () => void } = {},
): Promise<FaultServer> {
  const requests: SeenRequest[] = [];
  const tokenRequests: SeenRequest[] = [];
  const { url, close } = await startServer(async (incoming, response) => {
    const seen: SeenRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await textOf(incoming),
    };
    if (seen.path === '/api/v1/auth/token') {
      const count = tokenRequests.push(seen);
      const issued = { access_token: `token-${count}`, token_type: 'bearer', expires_in: 3600 };
      give(response, tokenReply?.(count) ?? { status: 200, body: issued });
      return;
    }
    const reply = replies[requests.push(seen) - 1] ?? { status: 202, body: acceptedSms };
    give(response, typeof reply === 'function' ? reply(seen) : reply);
    if (reply === 'hang') onHang?.();
  });
  return { baseUrl: url, requests, tokenRequests, close };
}

function give(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'drop') {
    response.destroy();
    return;
  }
  if (reply === 'half') {
    response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': '500' });
    response.write('{"message_id":', () => response.destroy());
    return;
  }
  const { status, body, text = JSON.stringify(body), headers = {} } = reply;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
}
