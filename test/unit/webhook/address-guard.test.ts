import { describe, expect, it } from '@jest/globals';
import { type AddressRules, checkUrl, webhookUrlSchema } from '../../../shared/webhook/address-guard.ts';
import { httpPost } from '../../../shared/webhook/deliver/http-post.ts';
import { startServer } from '../../support/http/local-server.ts';
import {
  allowedUrls,
  forbiddenAnswers,
  forbiddenUrls,
} from '../../support/webhook/forbidden-destinations.ts';

const deployed: AddressRules = { allowLoopback: false, allowHttp: false, ports: [80, 443] };
const request = { headers: {}, body: '{}' };

describe('destinations that are never called', () => {
  it('number at least sixty', () => {
    expect(forbiddenUrls.length + forbiddenAnswers.length).toBeGreaterThanOrEqual(60);
  });

  it.each(forbiddenUrls)('refuses %j when a client gives it', (url) => {
    expect(checkUrl(url, deployed).allowed).toBe(false);
  });

  it.each(forbiddenUrls)('does not connect to %j even if a row contains it', async (url) => {
    const post = httpPost({ rules: deployed, resolve: async () => ['93.184.215.14'] });
    const result = await post({ ...request, url });
    expect(result.error).toBe('blocked');
    expect(result.address).toBeUndefined();
  });

  it.each(forbiddenAnswers.map((addresses) => [addresses.join(' and '), addresses] as const))(
    'does not connect to a name that resolves to %s',
    async (_text, addresses) => {
      const post = httpPost({ rules: deployed, resolve: async () => addresses });
      const result = await post({ ...request, url: 'https://endpoint.example.com/' });
      expect(result.error).toBe(addresses.length === 0 ? 'dns' : 'blocked');
      expect(result.address).toBeUndefined();
    },
  );

  it('blocks a name that is public when checked and private when connected to', async () => {
    let asked = 0;
    let reached = 0;
    const server = await startServer(() => {
      reached += 1;
    });
    const { port } = server;
    const rules = { allowLoopback: false, allowHttp: true, ports: [port] };
    const resolve = async () => (asked++ === 0 ? ['93.184.215.14'] : ['127.0.0.1']);
    const url = `http://rebinding.example.com:${port}/`;
    expect(checkUrl(url, rules).allowed).toBe(true);
    await resolve();
    const result = await httpPost({ rules, resolve })({ ...request, url });
    expect(result.error).toBe('blocked');
    expect(reached).toBe(0);
    await server.close();
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i to a private address', async (status) => {
    let reached = 0;
    const inner = await startServer((_request, response) => {
      reached += 1;
      response.end();
    });
    const outer = await startServer((_request, response) => {
      response.writeHead(status, { location: `${inner.url}/` }).end();
    });
    const rules = { allowLoopback: true, allowHttp: true, ports: 'any' as const };
    const post = httpPost({ rules, resolve: async () => ['127.0.0.1'] });
    const result = await post({ ...request, url: `${outer.url}/` });
    expect(result).toMatchObject({ error: 'redirect', status });
    expect(reached).toBe(0);
    await Promise.all([inner.close(), outer.close()]);
  });

  it.each([
    'https://169.254.169.254/',
    'http://0.0.0.0/',
    'http://[ff02::1]/',
    'http://user@localhost/',
    'http://10.0.0.1/',
    'http://192.168.1.1:8080/',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
  ])('refuses %s even on the local stage, which allows loopback addresses', (url) => {
    const local: AddressRules = { allowLoopback: true, allowHttp: true, ports: 'any' };
    expect(checkUrl(url, local).allowed).toBe(false);
  });

  it('does not connect to a name of a private address on the local stage', async () => {
    const rules: AddressRules = { allowLoopback: true, allowHttp: true, ports: 'any' };
    const post = httpPost({ rules, resolve: async () => ['127.0.0.1', '10.0.0.5'] });
    expect((await post({ ...request, url: 'http://box/' })).error).toBe('blocked');
  });
});

describe('destinations that are called', () => {
  it.each(allowedUrls)('allows %s', (url) => {
    expect(checkUrl(url, deployed).allowed).toBe(true);
  });

  it('allows loopback names and addresses, http and any port on the local stage', () => {
    const local: AddressRules = { allowLoopback: true, allowHttp: true, ports: 'any' };
    for (const url of [
      'http://localhost:4000/x',
      'http://127.0.0.1:9/x',
      'http://[::1]:9/x',
      'http://box:80/',
    ]) {
      expect(checkUrl(url, local).allowed).toBe(true);
    }
  });
});

describe('a URL in a request', () => {
  const schema = webhookUrlSchema(deployed);

  it.each([
    'https://hooks.example.com/a\r\nX-Evil: 1',
    'https://hooks.example.com/\u0000',
    'https://hooks.example.com/a\\..\\b',
    'https://hooks.example.com/a b',
    ' https://hooks.example.com/',
    'https://hooks.example.com/\u2028',
    'https:hooks.example.com/',
    'https:/hooks.example.com/',
    'https:///hooks.example.com/',
  ])('is refused where another URL than the written one would be called: %j', (url) => {
    expect(schema.safeParse(url).success).toBe(false);
  });

  it.each(['https://hooks.example.com', 'HTTPS://hooks.example.com/a%20b?c=d#e', 'https://bücher.example/ü'])(
    'is taken as it is written: %j',
    (url) => {
      expect(schema.safeParse(url)).toEqual({ success: true, data: url });
    },
  );
});
