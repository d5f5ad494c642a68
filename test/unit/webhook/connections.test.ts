import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { httpPost } from '../../../shared/webhook/deliver/http-post.ts';

let open = 0;
let mostOpen = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end());
}).on('connection', (socket) => {
  open += 1;
  mostOpen = Math.max(mostOpen, open);
  socket.on('close', () => {
    open -= 1;
  });
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close().closeAllConnections();
});

const rules = { allowLoopback: true, allowHttp: true, ports: 'any' as const };

describe('the connection pool', () => {
  it('never delays a POST, after any number of endpoints, and does not keep a connection to each', async () => {
    const { port } = server.address() as AddressInfo;
    const post = httpPost({ rules, resolve: async () => ['127.0.0.1'] });
    const urls = Array.from({ length: 1000 }, (_, n) => `http://endpoint-${n}.example.com:${port}/hook`);
    const waitedMs: number[] = [];
    for (let from = 0; from < urls.length; from += 10) {
      const results = await Promise.all(
        urls.slice(from, from + 10).map((url) => post({ url, headers: {}, body: '{}' })),
      );
      for (const { status, timings } of results) {
        expect(status).toBe(200);
        waitedMs.push(timings.totalMs);
      }
    }
    // A POST that waited for an idle connection to close would take about four seconds, as most of them would from the
    // limit of connections on. A busy machine may hold up a few.
    expect(waitedMs.filter((ms) => ms > 2000).length).toBeLessThan(urls.length / 10);
    expect(mostOpen).toBeLessThan(512);
  });

  it('keeps a connection for the next POST to the same endpoint', async () => {
    const { port } = server.address() as AddressInfo;
    const post = httpPost({ rules, resolve: async () => ['127.0.0.1'] });
    const request = { url: `http://endpoint.example.com:${port}/hook`, headers: {}, body: '{}' };
    expect((await post(request)).reusedConnection).toBe(false);
    expect((await post(request)).reusedConnection).toBe(true);
  });
});
