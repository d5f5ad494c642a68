/**
 * A proxy in front of the gateway of a fuzz run: every request comes from a loopback address of its own, so that what counts
 * on the source address meets the operation and not its limit, and each response is tallied by operation and status.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from '../support/http/local-server.ts';
import type { Tally } from './tally.ts';

interface CountingFront {
  readonly baseUrl: string;
  /** For how long requests waited for the gateway, all together. */
  waitedSeconds(): number;
  /** How many requests were answered 503, and were made again. */
  repeated(): number;
  close(): Promise<void>;
}

export interface PassedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface PassedResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether the first response was 503. */
  readonly isRepeated: boolean;
}

/** What is done after each response, before the caller gets it. */
type Afterwards = (
  request: PassedRequest,
  response: PassedResponse,
  send: (request: PassedRequest) => Promise<PassedResponse>,
) => Promise<void>;

/** A call to the emulator of a busy machine may take longer than the gateway waits. What is broken is 503 again. */
const repeatAfterMs = 5000;

/** Linux takes all of 127.0.0.0/8 for its own; the gateway's front believes the address that it is called from. */
export async function startCountingFront(
  gatewayUrl: string,
  tally: Tally,
  afterwards: Afterwards = async () => undefined,
): Promise<CountingFront> {
  const port = Number(new URL(gatewayUrl).port);
  let calls = 0;
  let waitedMs = 0;
  let repeated = 0;

  async function send(request: PassedRequest): Promise<PassedResponse> {
    const first = await sendOnce(request);
    const isRepeated = first.status === 503;
    if (isRepeated) {
      repeated += 1;
      await pause(repeatAfterMs);
    }
    const response = { ...(isRepeated ? await sendOnce(request) : first), isRepeated };
    tally.count(request.method, request.path, response.status);
    return response;
  }

  async function sendOnce(request: PassedRequest): Promise<Omit<PassedResponse, 'isRepeated'>> {
    const began = performance.now();
    calls += 1;
    const { method, path, headers, body } = request;
    const options = { host: '127.0.0.1', port, localAddress: addressOf(calls), agent: false, method, path };
    const outgoing = open({ ...options, headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const response = {
      status: answer.statusCode ?? 0,
      headers: answer.rawHeaders,
      body: await buffer(answer),
    };
    waitedMs += performance.now() - began;
    return response;
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', rawHeaders: headers } = incoming;
    const request = { method, path, headers, body: await buffer(incoming) };
    const response = await send(request);
    await afterwards(request, response, send);
    outgoing.writeHead(response.status, [...response.headers]).end(response.body);
  }

  const server = await startServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return {
    baseUrl: `http://localhost:${server.port}`,
    waitedSeconds: () => waitedMs / 1000,
    repeated: () => repeated,
    close: server.close,
  };
}

function addressOf(call: number): string {
  return `127.${16 + ((call >> 16) & 0x7f)}.${(call >> 8) & 0xff}.${call & 0xff}`;
}
