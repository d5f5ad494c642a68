import { type LookupFunction, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { guardedLookup } from '../../../shared/webhook/address-guard.ts';
import { type ConnectTo, dial } from '../../../shared/webhook/deliver/connections.ts';
import { httpPost } from '../../../shared/webhook/deliver/http-post.ts';
import { type LocalServer, startServer } from '../../support/http/local-server.ts';

const v4 = '93.184.216.34';
const v6 = '2001:4860::1';
const rules = { allowLoopback: true, allowHttp: true, ports: 'any' as const };

let server: LocalServer;
const open = new Set<object>();
let mostOpen = 0;
beforeAll(async () => {
  server = await startServer((request, response) => {
    if (!open.has(request.socket)) request.socket.once('close', () => open.delete(request.socket));
    open.add(request.socket);
    mostOpen = Math.max(mostOpen, open.size);
    request.resume().on('end', () => response.end('ok'));
  });
});
afterAll(() => server.close());

/** Longer than Node's own `autoSelectFamily` would wait. */
const late = { connectsAfterMs: 400 };

type Fate = { readonly connectsAfterMs: number } | { readonly failsWith: string } | 'silent';

/** Sockets that simulate a host's network: each address connects late, fails, or never answers. */
function network(fates: Readonly<Record<string, Fate>>) {
  const called: string[] = [];
  const given: Socket[] = [];
  const connectTo: ConnectTo = (address) => {
    called.push(address);
    const fate = fates[address] ?? 'silent';
    const socket = new Socket();
    given.push(socket);
    if (fate !== 'silent' && 'failsWith' in fate) {
      const error = Object.assign(new Error(`connect ${fate.failsWith} ${address}`), {
        code: fate.failsWith,
      });
      setImmediate(() => socket.destroy(error));
    } else if (fate !== 'silent') {
      setTimeout(() => {
        if (!socket.destroyed) socket.connect(server.port, '127.0.0.1');
      }, fate.connectsAfterMs);
    }
    return socket;
  };
  return { called, given, connectTo };
}

const lookupOf = (...addresses: string[]): LookupFunction => guardedLookup(async () => addresses, rules);

function postBy(connectTo: ConnectTo, ...addresses: string[]) {
  const post = httpPost({ rules, resolve: async () => addresses, connectTo });
  const { port } = server;
  return post({ url: `http://host.example.com:${port}/hook`, headers: {}, body: '{}' });
}

describe('a POST to a host with several addresses', () => {
  it.each([
    ['the first connects late and IPv6 cannot be reached', [v4, v6], late, { failsWith: 'ENETUNREACH' }],
    ['IPv6 comes first and cannot be reached', [v6, v4], late, { failsWith: 'ENETUNREACH' }],
    ['the other is silent', [v6, v4], late, 'silent'],
    ['the other refuses', [v4, v6], late, { failsWith: 'ECONNREFUSED' }],
  ] as const)('is answered where %s', async (_name, addresses, fate4, fate6) => {
    const { connectTo, called, given } = network({ [v4]: fate4, [v6]: fate6 });
    const result = await postBy(connectTo, ...addresses);
    expect(result).toMatchObject({ status: 200, bodyStart: 'ok', reusedConnection: false });
    expect(called.toSorted()).toEqual([v6, v4].toSorted());
    expect(given.filter((socket) => !socket.destroyed)).toHaveLength(1);
    const { dnsMs = -1, connectMs = -1, firstByteMs = -1 } = result.timings;
    expect([dnsMs, connectMs, firstByteMs]).toEqual(
      [dnsMs, connectMs, firstByteMs].toSorted((a, b) => a - b),
    );
  });

  it('reports the error of the endpoint rather than of the local network', async () => {
    const { connectTo } = network({
      [v4]: { failsWith: 'ECONNREFUSED' },
      [v6]: { failsWith: 'ENETUNREACH' },
    });
    expect(await postBy(connectTo, v6, v4)).toMatchObject({
      error: 'refused',
      errorMessage: `connect ECONNREFUSED ${v4}`,
    });
  });

  it('connects to no address if one of them is forbidden', async () => {
    const { connectTo, called } = network({});
    expect(await postBy(connectTo, v4, '10.0.0.1')).toMatchObject({ error: 'blocked' });
    expect(called).toEqual([]);
  });
});

describe('dialing', () => {
  afterEach(() => void jest.useRealTimers());

  it('closes all sockets when none connects in time', async () => {
    jest.useFakeTimers();
    const { connectTo, given } = network({ [v4]: 'silent', [v6]: 'silent' });
    const dialed = dial({ host: 'host.example.com', port: 80, lookup: lookupOf(v4, v6) }, connectTo);
    const error = dialed.catch((reason: unknown) => reason);
    await jest.advanceTimersByTimeAsync(4999);
    expect(given.map((socket) => socket.destroyed)).toEqual([false, false]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await error).toMatchObject({ code: 'ETIMEDOUT' });
    expect(given.map((socket) => socket.destroyed)).toEqual([true, true]);
  });

  it('alternates the address families, and tries each address once', async () => {
    const all = ['93.184.216.1', '93.184.216.2', '93.184.216.3', '2001:4860::1', '2001:4860::2'];
    const refused = network(
      Object.fromEntries(all.map((address) => [address, { failsWith: 'ECONNREFUSED' }])),
    );
    const dialed = dial({ host: 'host.example.com', port: 80, lookup: lookupOf(...all) }, refused.connectTo);
    await expect(dialed).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(refused.called).toEqual([all[0], all[3], all[1], all[4], all[2]]);
  });
});

describe('the connection pool', () => {
  const post = httpPost({ rules, resolve: async () => ['127.0.0.1'] });

  it('never delays a POST, after any number of endpoints, and does not keep a connection to each', async () => {
    const urls = Array.from(
      { length: 1000 },
      (_, n) => `http://endpoint-${n}.example.com:${server.port}/hook`,
    );
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
    const request = { url: `http://endpoint.example.com:${server.port}/hook`, headers: {}, body: '{}' };
    expect((await post(request)).reusedConnection).toBe(false);
    expect((await post(request)).reusedConnection).toBe(true);
  });
});
