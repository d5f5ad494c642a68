/**
 * A proxy in front of the gateway of a fuzz run: every request comes from a loopback address of its own, so that what counts
 * on the source address meets the operation and not its limit, and each response is tallied by operation and status.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Tally } from './tally.ts';

interface CountingFront {
  readonly baseUrl: string;
  /** For how long requests waited for the gateway, all together. */
  waitedSeconds(): number;
  close(): void;
}

/** Linux takes all of 127.0.0.0/8 for its own; the gateway's front believes the address that it is called from. */
export async function startCountingFront(gatewayUrl: string, tally: Tally): Promise<CountingFront> {
  const port = Number(new URL(gatewayUrl).port);
  let calls = 0;
  let waitedMs = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const began = performance.now();
    pass(port, addressOf(calls), request, response, tally)
      .catch(() => response.destroy())
      .finally(() => {
        waitedMs += performance.now() - began;
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
    waitedSeconds: () => waitedMs / 1000,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function addressOf(call: number): string {
  return `127.${16 + ((call >> 16) & 0x7f)}.${(call >> 8) & 0xff}.${call & 0xff}`;
}

async function pass(
  port: number,
  localAddress: string,
  request: IncomingMessage,
  response: ServerResponse,
  tally: Tally,
): Promise<void> {
  const { method = 'GET', url: path = '/', rawHeaders } = request;
  const outgoing = open({
    host: '127.0.0.1',
    port,
    localAddress,
    agent: false,
    method,
    path,
    headers: rawHeaders,
  });
  request.pipe(outgoing);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const status = answer.statusCode ?? 0;
  tally.count(method, path, status);
  response.writeHead(status, answer.rawHeaders);
  await pipeline(answer, response);
}
