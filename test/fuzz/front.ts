/**
 * A proxy in front of the gateway of a fuzz run. Each request has a loopback address of its own, so that limits by address
 * do not hide the operation. A request that is answered 503 is made once more: a call to the emulator of a busy machine may
 * take longer than the gateway waits, and what is broken is 503 again.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from '../support/http/local-server.ts';

const repeatAfterMs = 5000;

export async function startFront(gatewayUrl: string) {
  const port = Number(new URL(gatewayUrl).port);
  let calls = 0;

  async function send({ method, url: path, rawHeaders: headers }: IncomingMessage, body: Buffer) {
    calls += 1;
    const options = { host: '127.0.0.1', port, localAddress: addressOf(calls), agent: false, method, path };
    const outgoing = open({ ...options, headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.rawHeaders, body: await buffer(answer) };
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    let answer = await send(incoming, body);
    if (answer.status === 503) {
      await pause(repeatAfterMs);
      answer = await send(incoming, body);
    }
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = await startServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return { baseUrl: `http://localhost:${server.port}`, close: server.close };
}

/** Linux takes all of 127.0.0.0/8 for its own. */
function addressOf(call: number): string {
  return `127.${16 + ((call >> 16) & 0x7f)}.${(call >> 8) & 0xff}.${call & 0xff}`;
}
