import { afterEach, describe, expect, it } from '@jest/globals';
import { dnsResolve, httpPost } from '../../../shared/webhook/deliver/http-post.ts';
import { startServer } from '../../support/http/local-server.ts';
import { type NameAnswer, type NameServer, startNameServer } from '../../support/webhook/name-server.ts';

const open: NameServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** @param waits - longer than any pause of a busy machine, unless the test is about the wait */
async function resolverWith(
  answerTo: Parameters<typeof startNameServer>[0],
  waits: { readonly timeoutMs?: number; readonly otherKindWaitMs?: number } = {},
) {
  const server = await startNameServer(answerTo);
  open.push(server);
  const settings = { servers: [server.address], timeoutMs: 10_000, otherKindWaitMs: 10_000, ...waits };
  return { resolve: dnsResolve(settings), server };
}

describe('a DNS lookup', () => {
  it('returns all addresses of both kinds', async () => {
    const { resolve } = await resolverWith((_name, type) =>
      type === 'A' ? ['93.184.215.14', '93.184.215.15'] : ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    );
    expect(await resolve('endpoint.example.com')).toEqual([
      '93.184.215.14',
      '93.184.215.15',
      '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    ]);
  });

  it('returns the addresses of a name that has only one kind', async () => {
    const { resolve } = await resolverWith((_name, type) => (type === 'A' ? [] : ['2001:db8::1']));
    expect(await resolve('endpoint.example.com')).toEqual(['2001:db8::1']);
  });

  it('does not wait for the kind of address for which the server is silent', async () => {
    const { resolve } = await resolverWith((_name, type) => (type === 'A' ? ['93.184.215.14'] : 'silent'), {
      timeoutMs: 1500,
      otherKindWaitMs: 100,
    });
    // If the other waited, this would end first.
    const { resolve: silent } = await resolverWith(() => 'silent', { timeoutMs: 1000 });
    const first = await Promise.race([
      resolve('half.example.com').then(() => 'answered'),
      silent('silent.example.com').catch(() => 'timed out'),
    ]);
    expect(first).toBe('answered');
  });

  it('is repeated each time: results are not cached', async () => {
    let asked = 0;
    const { resolve } = await resolverWith((_name, type) => {
      if (type === 'AAAA') return [];
      asked += 1;
      return [`93.184.215.${asked}`];
    });
    expect(await resolve('endpoint.example.com')).toEqual(['93.184.215.1']);
    expect(await resolve('endpoint.example.com')).toEqual(['93.184.215.2']);
  });

  it.each([
    ['nxdomain', 'ENOTFOUND'],
    ['servfail', 'ESERVFAIL'],
  ] as const)('fails with its code if the server answers %s', async (answer, code) => {
    const { resolve } = await resolverWith(() => answer);
    await expect(resolve('nobody.example.com')).rejects.toMatchObject({ code });
  });

  it('fails after a time if the server is silent', async () => {
    const { resolve } = await resolverWith(() => 'silent', { timeoutMs: 100 });
    await expect(resolve('silent.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('is not delayed by lookups of other names', async () => {
    const late = Promise.withResolvers<'nxdomain'>();
    const { resolve } = await resolverWith((name, type) => {
      if (name.startsWith('late')) return late.promise;
      return type === 'A' ? ['93.184.215.14'] : [];
    });
    let ended = 0;
    const others = Array.from({ length: 20 }, async (_, i) => {
      await expect(resolve(`late${i}.example.com`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
      ended += 1;
    });
    expect(await resolve('endpoint.example.com')).toEqual(['93.184.215.14']);
    expect(ended).toBe(0);
    late.resolve('nxdomain');
    await Promise.all(others);
  });
});

describe('a POST to a host name', () => {
  const request = { headers: {}, body: '{}' };
  /** As on AWS, except for scheme and port, because the endpoint is on this machine. */
  const rulesFor = (port: number) => ({ allowLoopback: false, allowHttp: true, ports: [port] });

  it('connects to nothing if the name turns private between two lookups', async () => {
    let reached = 0;
    const webhookEndpoint = await startServer((_request, response) => {
      reached += 1;
      response.end();
    });
    const { port } = webhookEndpoint;
    let looks = 0;
    const { resolve, server } = await resolverWith((_name, type) => {
      if (type === 'AAAA') return [];
      looks += 1;
      return [looks === 1 ? '93.184.215.14' : '127.0.0.1'];
    });
    const url = `http://rebinding.example.com:${port}/`;
    expect(await resolve('rebinding.example.com')).toEqual(['93.184.215.14']);
    const result = await httpPost({ rules: rulesFor(port), resolve })({ ...request, url });
    expect(result).toMatchObject({ error: 'blocked' });
    expect(result.address).toBeUndefined();
    expect(reached).toBe(0);
    // One lookup for each connection: the checked addresses are the ones connected to.
    expect(server.queries.filter((query) => query === 'A rebinding.example.com')).toHaveLength(2);
    await webhookEndpoint.close();
  });

  it('tries the next address if one refuses', async () => {
    const webhookEndpoint = await startServer((_request, response) => response.end());
    const { port } = webhookEndpoint;
    const url = `http://several.example.com:${port}/`;
    const rules = { ...rulesFor(port), allowLoopback: true };
    const postTo = (...addresses: string[]) =>
      httpPost({ rules, resolve: async () => addresses })({ ...request, url });
    expect(await postTo('::1', '127.0.0.2', '127.0.0.1')).toMatchObject({
      status: 200,
      address: '127.0.0.1',
    });
    const refused = await postTo('127.0.0.2', '127.0.0.3');
    expect(refused).toMatchObject({ error: 'refused' });
    expect(refused.errorMessage).toMatch(/ECONNREFUSED 127\.0\.0\.2:.*; .*ECONNREFUSED 127\.0\.0\.3:/);
    await webhookEndpoint.close();
  });

  it.each([
    ['a good and a private address', ['93.184.215.14', '10.0.0.1'], []],
    ['a good address and a private one of the other kind', ['93.184.215.14'], ['fd00::1']],
    ['the metadata service', ['169.254.169.254'], []],
    ['an IPv4 address in an IPv6 one', [], ['::ffff:7f00:1']],
  ])('is blocked with %s', async (_what, ipv4, ipv6) => {
    const { resolve } = await resolverWith((_name, type) => (type === 'A' ? ipv4 : ipv6));
    const post = httpPost({ rules: rulesFor(443), resolve });
    const result = await post({ ...request, url: 'https://endpoint.example.com/' });
    expect(result).toMatchObject({ error: 'blocked' });
  });

  it('fails with `dns` if the name does not exist, or after a time if its server is silent', async () => {
    const postBy = async (answer: NameAnswer, timeoutMs: number) => {
      const { resolve } = await resolverWith(() => answer, { timeoutMs });
      return httpPost({ rules: rulesFor(443), resolve })({ ...request, url: 'https://gone.example.com/' });
    };
    expect(await postBy('nxdomain', 10_000)).toMatchObject({ error: 'dns' });
    expect(await postBy('silent', 100)).toMatchObject({ error: 'dns' });
  });
});
