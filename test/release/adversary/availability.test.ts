/** Availability: no bytes of a caller, and no requests at the same moment, make a failure of ours. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { adminApiRoutes } from '../../../shared/admin/http/admin-routes.ts';
import { adminRoutes, routes } from '../../../shared/contract/routes.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { eventually, gateway } from '../../support/gateway/gateway.ts';
import { admitted } from '../../support/http/admitted.ts';
import { adminToken, newClient, type TestClient } from '../../support/http/client.ts';
import type { CallResponse } from '../../support/http/http-call.ts';
import {
  startWebhookEndpoint,
  verifiedBy,
  type WebhookEndpoint,
} from '../../support/webhook/webhook-endpoint.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The path as it is: `fetch` would correct it. */
function ask(method: string, path: string, credential: string, headers = {}): Promise<Seen> {
  const once = () =>
    new Promise<Seen>((resolve, reject) => {
      const sent = request(
        gateway().base_url,
        { method, path, headers: { Authorization: `Bearer ${credential}`, ...headers } },
        (response) => {
          let body = '';
          response.on('data', (chunk) => {
            body += String(chunk);
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          );
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  return admitted(once, (seen) => String(seen.headers['retry-after']));
}

const hostile = [
  '%00',
  '%0d%0aX:1',
  '%0a',
  '%7f',
  '%ff',
  '%',
  '%25',
  '%zz',
  '%2e%2e%2f%2e%2e',
  '%5c',
  '%u0000',
  '%ed%a0%80',
  '%F0%9F%98%80',
  '%E2%80%A8',
  'a'.repeat(3000),
];

describe('a path', () => {
  it('of any decoded bytes is 4xx, with and without a slash at its end, and is in no header', async () => {
    const token = await adminToken();
    const templates = [
      ...Object.values(routes),
      ...Object.values(adminRoutes),
      ...Object.values(adminApiRoutes),
    ].filter(({ path }) => path.includes('{'));
    expect(templates.length).toBeGreaterThan(20);
    const failed: unknown[] = [];
    for (const { method, path } of templates) {
      const wanted = method === 'ANY' ? 'GET' : method;
      for (const bytes of hostile) {
        for (const end of ['', '/']) {
          const address = `${path.replaceAll(/\{[^}]+\}/g, bytes)}${end}`;
          const credential = address.startsWith('/admin/api') ? token : client.apiKey;
          const { status, headers } = await ask(wanted, address, credential);
          if (status < 400 || status >= 500 || headers.location !== undefined)
            failed.push([wanted, address, status]);
        }
      }
    }
    expect(failed).toEqual([]);
  });

  it('of a page with slashes at its end leads to the page, and to no other place', async () => {
    const places = {
      '/docs/': '/docs',
      '/docs/webhooks/': '/docs/webhooks',
      '/docs/start/': undefined,
      '/docs/%0d%0aX:1/': undefined,
      '/docs/%00/': undefined,
      '/docs/%7f/': undefined,
      '/docs//example.com/': undefined,
      '/docs/%2F%2Fexample.com/': undefined,
      '//example.com/docs/': undefined,
      '/admin/': '../admin',
    };
    for (const [path, location] of Object.entries(places)) {
      const seen = await ask('GET', path, '');
      const status = location === undefined ? 404 : 302;
      expect([path, seen.status, seen.headers.location, seen.headers.x]).toEqual([
        path,
        status,
        location,
        undefined,
      ]);
    }
    const page = await fetch(`${gateway().base_url}/admin/`);
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/admin']);
  });
});

describe('a cursor', () => {
  it('of one list is 400 for every other', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    for (const to of ['+447950000001', '+447950000002']) {
      await client.send({ to, message: 'x', scheduled_at, webhook_url: 'http://127.0.0.1:9/' });
      await client.call('PUT', `/api/v1/suppressions/${encodeURIComponent(to)}`, { body: {} });
    }
    const token = await adminToken();
    const mine = `client_id=${client.clientId}`;
    const lists = {
      '/api/v1/messages?limit=1': client.apiKey,
      '/api/v1/suppressions?limit=1': client.apiKey,
      '/api/v1/webhook-deliveries?limit=1': client.apiKey,
      '/api/v1/webhook-deliveries?limit=1&state=failed': client.apiKey,
      [`/admin/api/messages?limit=1&${mine}`]: token,
      '/admin/api/activity?limit=1': token,
    };
    const cursors = new Map<string, string>([
      // Those of lists without a second page here, by their form.
      ['/api/v1/webhook-deliveries?limit=1', encoded(`2026-11-20T10:00:00.000Z#msg_01${'A'.repeat(24)}~1`)],
      ['/api/v1/webhook-deliveries?limit=1&state=failed', encoded(`act_01${'A'.repeat(24)}`)],
    ]);
    for (const [path, credential] of Object.entries(lists)) {
      const { status, body } = await ask('GET', path, credential);
      expect([path, status]).toEqual([path, 200]);
      const { next_cursor } = JSON.parse(body);
      if (next_cursor !== undefined) cursors.set(path, next_cursor);
    }
    expect([...cursors.keys()].toSorted()).toEqual(Object.keys(lists).toSorted());
    for (const [path, credential] of Object.entries(lists)) {
      for (const [origin, cursor] of cursors) {
        const { status } = await ask('GET', `${path}&cursor=${encodeURIComponent(cursor)}`, credential);
        expect([path, origin, status]).toEqual([path, origin, path === origin ? 200 : 400]);
      }
    }
  });
});

const encoded = (position: string): string => Buffer.from(position).toString('base64url');

describe('HEAD', () => {
  it('has no Content-Length or that of GET, for what is found, refused and unknown', async () => {
    const paths = ['/docs', '/openapi.json', '/admin', '/.well-known/jwks.json', '/api/v1/account'];
    for (const path of [...paths, '/docs/', '/nothing', '/api/v1/messages/x']) {
      for (const headers of [{}, { Accept: '*/*', 'Accept-Encoding': 'gzip' }]) {
        const [get, head] = [
          await ask('GET', path, client.apiKey, headers),
          await ask('HEAD', path, client.apiKey, headers),
        ];
        expect([path, head.status, head.body]).toEqual([path, get.status, '']);
        expect([path, [get.headers['content-length'], undefined]]).toEqual([
          path,
          expect.arrayContaining([head.headers['content-length']]),
        ]);
      }
    }
  });
});

const nowhere = 'http://127.0.0.1:9/';
const endpoints = '/api/v1/webhook-endpoints';

describe('changes of one resource at the same moment', () => {
  let client: TestClient;
  let receiver: WebhookEndpoint;
  beforeAll(async () => {
    receiver = await startWebhookEndpoint();
    client = await newClient();
  });
  afterAll(() => receiver.close());

  const newEndpoint = async (): Promise<string> => {
    const { body } = await client.post(endpoints, { url: nowhere });
    return `${endpoints}/${String(body.endpoint_id)}`;
  };
  const atOnce = (count: number, request: (n: number) => Promise<CallResponse>): Promise<CallResponse[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => request(n)));
  /** `200`, `409 secret_limit_reached`. */
  const outcomes = (responses: readonly CallResponse[]): string[] =>
    [
      ...new Set(responses.map(({ status, body }) => `${status} ${String(body.error ?? '')}`.trim())),
    ].toSorted();

  it.each<[string, (n: number) => object]>([
    ['descriptions', (n) => ({ description: `text ${n}` })],
    ['URLs', (n) => ({ url: `${nowhere}${n}` })],
    ['states', (n) => ({ enabled: n % 2 === 0 })],
    [
      'everything',
      (n) => ({ description: `${n}`, url: `${nowhere}${n}`, enabled: n % 3 === 0, events: ['sms.*'] }),
    ],
  ])('thirty of an endpoint succeed: %s', async (_what, change) => {
    const path = await newEndpoint();
    const responses = await atOnce(30, (n) => client.call('PATCH', path, { body: change(n) }));
    expect(outcomes(responses)).toEqual(['200']);
    const { body } = await client.call('GET', path);
    for (const [name, value] of Object.entries(body).filter(([field]) => field in change(0)))
      expect(
        Array.from({ length: 30 }, (_, n) => (change(n) as Record<string, unknown>)[name]),
      ).toContainEqual(value);
    expect((body.disabled_at === null) === body.enabled).toBe(true);
    expect((await client.call('DELETE', path)).status).toBe(200);
  });

  it('of a deleted endpoint are 404', async () => {
    const path = await newEndpoint();
    const requests: (() => Promise<CallResponse>)[] = [
      () => client.call('PATCH', path, { body: { description: 'late' } }),
      () => client.post(`${path}/secret`, {}),
      () => client.call('DELETE', path),
    ];
    const responses = await atOnce(18, (n) => (requests[n % 3] as () => Promise<CallResponse>)());
    for (const outcome of outcomes(responses))
      expect(['200', '404 not_found', '409 secret_limit_reached']).toContain(outcome);
    expect((await client.call('GET', path)).status).toBe(404);
  });

  it('give an account URL that one of them asked for', async () => {
    const url = (n: number) => `${nowhere}account/${n}`;
    const responses = await atOnce(20, (n) =>
      client.call('PATCH', '/api/v1/account', { body: { webhook_url: url(n) } }),
    );
    expect(outcomes(responses)).toEqual(['200']);
  });

  it('make ten endpoints, and refuse the others', async () => {
    const other = await newClient();
    const responses = await atOnce(24, (n) => other.post(endpoints, { url: `${nowhere}${n}` }));
    expect(outcomes(responses)).toEqual(['201', '409 endpoint_limit_reached']);
    const { body } = await other.call('GET', endpoints);
    expect(body.webhook_endpoints).toHaveLength(10);
  });

  it.each<[string, (n: number) => object]>([
    ['the same', () => ({ reason: 'asked us' })],
    ['different', (n) => ({ reason: `${n}`, scope: n % 2 === 0 ? 'all' : 'messages' })],
  ])('suppress a recipient: %s', async (_what, body) => {
    const path = `/api/v1/suppressions/${encodeURIComponent(freshNumber())}`;
    expect(outcomes(await atOnce(12, (n) => client.call('PUT', path, { body: body(n) })))).toEqual(['200']);
    const deleted = await atOnce(12, () => client.call('DELETE', path));
    expect(outcomes(deleted)).toEqual(['200', '404 not_found']);
    expect(deleted.filter(({ status }) => status === 200)).toHaveLength(1);
    const mixed = await atOnce(12, (n) => client.call(n % 2 === 0 ? 'PUT' : 'DELETE', path));
    for (const outcome of outcomes(mixed)) expect(['200', '404 not_found']).toContain(outcome);
  });

  it.each([
    ['of the account', '/api/v1/account/webhook-secret', 'webhook_secret'],
    ['of an endpoint', undefined, 'secret'],
  ])('make secrets that all sign, or are refused: %s', async (_what, path, field) => {
    const owner = await newClient({ webhookUrl: receiver.url });
    const { body: endpoint } = await owner.post(endpoints, { url: receiver.url });
    const id = String(endpoint.endpoint_id);
    const responses = await atOnce(20, () => owner.post(path ?? `${endpoints}/${id}/secret`, {}));
    expect(outcomes(responses)).toEqual(['200', '409 secret_limit_reached']);
    const made = responses.filter(({ status }) => status === 200).map(({ body }) => body);
    expect(made).toHaveLength(4);
    const activeMs = Math.max(...made.map(({ active_at }) => Date.parse(String(active_at))));
    await eventually(async () => (Date.now() > activeMs ? true : undefined), { everyMilliseconds: 1000 });
    const seen = receiver.posts.length;
    if (path === undefined) await owner.post(`${endpoints}/${id}/test`, {});
    else await owner.send({ to: freshNumber() });
    const ofEndpoint = path === undefined ? String(endpoint.secret) : owner.webhookSecret;
    const secrets = [...made.map((one) => String(one[field])), ofEndpoint];
    await eventually(async () => {
      const signed = receiver.posts
        .slice(seen)
        .some((post) => secrets.every((secret) => isSignedWith(post, secret)));
      return signed ? true : undefined;
    });
  });

  function isSignedWith(post: WebhookEndpoint['posts'][number], secret: string): boolean {
    try {
      verifiedBy(new Webhook(secret), post);
      return true;
    } catch {
      return false;
    }
  }
});
