/** What a client may try with the values of others: ids, cursors, paths, and numbers that must not reach a log. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { adminApiRoutes } from '../../shared/contract/admin-api-routes.ts';
import { adminRoutes, type Route, routes } from '../../shared/contract/routes.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { everyLog } from '../support/gateway/every-log.ts';
import { gateway } from '../support/gateway/gateway.ts';
import { admitted } from '../support/http/admitted.ts';
import { adminToken, newClient, type TestClient } from '../support/http/client.ts';
import { inSeconds } from '../support/http/expected-responses.ts';

let owner: TestClient;
let stranger: TestClient;
let admin: string;
beforeAll(async () => {
  [owner, stranger, admin] = await Promise.all([newClient(), newClient(), adminToken()]);
});

/** As it is: no document is asked what the response may be. */
async function raw(method: string, path: string, init: RequestInit = {}) {
  const credential = path.startsWith('/admin/api') ? admin : stranger.apiKey;
  const headers = { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' };
  const ask = () =>
    fetch(`${gateway().base_url}${path}`, {
      method,
      redirect: 'manual',
      ...init,
      headers: { ...headers, ...init.headers },
    });
  const response = await admitted(ask, ({ headers }) => headers.get('retry-after'));
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

it('an id of another client is 404 for every operation that takes one', async () => {
  const scheduled_at = inSeconds(3600);
  const single = await owner.post('/api/v1/sms/send', { to: freshNumber(), message: 'x', scheduled_at });
  const bulk = await owner.post('/api/v1/sms/bulk', { message: 'x', recipients: [freshNumber()] });
  const endpoint = await owner.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
  const test = await owner.post(`/api/v1/webhook-endpoints/${String(endpoint.body.endpoint_id)}/test`, {});
  const resend = await owner.post('/api/v1/webhook-deliveries/resend', { since: inSeconds(-60) });
  const made = [single, bulk, endpoint, test, resend];
  expect(made.map(({ status }) => status)).toEqual([202, 202, 201, 202, 202]);
  const ids: Readonly<Record<string, readonly string[]>> = {
    message_id: [String(single.body.message_id), String(bulk.body.batch_id)],
    endpoint_id: [String(endpoint.body.endpoint_id)],
    delivery_id: [String(test.body.delivery_id)],
    resend_id: [String(resend.body.resend_id)],
  };
  const attacks: [method: string, path: string, body: object | undefined][] = [];
  for (const { method, path } of Object.values<Route>(routes)) {
    const name = /^\/api\/v1\/.*\{(\w+)\}/.exec(path)?.[1];
    // Every client may name every number: a suppression belongs to the caller.
    if (name === undefined || name === 'recipient') continue;
    expect(Object.keys(ids)).toContain(name);
    const body = method === 'GET' || method === 'DELETE' ? undefined : { enabled: false };
    for (const id of ids[name] ?? []) attacks.push([method, path.replace(`{${name}}`, id), body]);
  }
  expect(attacks.length).toBeGreaterThan(10);
  const { endpoint_id } = endpoint.body;
  attacks.push(['POST', '/api/v1/webhook-deliveries/resend', { endpoint_id, since: inSeconds(-60) }]);
  for (const [method, path, body] of attacks) {
    const refused = await stranger.call(method, path, body && { body });
    expect([method, path, refused.status, refused.body.error]).toEqual([method, path, 404, 'not_found']);
  }
  const { body: kept } = await owner.call('GET', `/api/v1/webhook-endpoints/${String(endpoint_id)}`);
  expect(kept).toMatchObject({ enabled: true });
  const { body: status } = await owner.call('GET', `/api/v1/sms/status/${String(single.body.message_id)}`);
  expect(status).toMatchObject({ status: 'scheduled' });
});

it('a cursor of one list is 400 for every other', async () => {
  const encoded = (position: string): string => Buffer.from(position).toString('base64url');
  const cursors = {
    '/api/v1/messages': encoded(`2026-11-20T10:00:00.000Z#msg_01${'A'.repeat(24)}`),
    '/api/v1/suppressions': encoded('+447950000001'),
    '/api/v1/webhook-deliveries': encoded(`2026-11-20T10:00:00.000Z#whd_01${'A'.repeat(24)}`),
  };
  // The list of suppressions takes any text: a person may have written the key of a row.
  for (const path of Object.keys(cursors).filter((each) => each !== '/api/v1/suppressions')) {
    for (const [origin, cursor] of Object.entries(cursors)) {
      const { status } = await raw('GET', `${path}?cursor=${cursor}`);
      expect([path, origin, status]).toEqual([path, origin, path === origin ? 200 : 400]);
    }
  }
});

describe('a path', () => {
  const templates = [
    ...Object.values<Route>(routes),
    ...Object.values<Route>(adminRoutes),
    ...Object.values(adminApiRoutes),
  ].filter(({ path }) => path.includes('{'));

  it.each(['%00', '%0d%0aX:1', '%ff', '%25', '%2e%2e%2f%2e%2e', '%F0%9F%98%80'])(
    'with %s in place of each id is 4xx',
    async (bytes) => {
      expect(templates.length).toBeGreaterThan(20);
      const failed: unknown[] = [];
      for (const { method, path } of templates) {
        const wanted = method === 'ANY' ? 'GET' : method;
        const { status, location } = await raw(wanted, path.replaceAll(/\{[^}]+\}/g, bytes));
        if (status < 400 || status >= 500 || location !== null) failed.push([wanted, path, status]);
      }
      expect(failed).toEqual([]);
    },
  );

  it.each(['/docs/%0d%0aX:1/', '/docs/%2F%2Fexample.com/', '/docs//example.com/'])(
    'of no page leads nowhere: %s',
    async (path) => {
      expect(await raw('GET', path)).toMatchObject({ status: 404, location: null });
    },
  );
});

describe('a phone number', () => {
  const used: string[] = [];
  const next = (): string => {
    used.push(freshNumber());
    return used.at(-1) ?? '';
  };
  const everyDigit = (number: string): string =>
    [...number].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
  const spellings: readonly ((number: string) => string)[] = [
    (number) => number.replace('+', '%2B'),
    (number) => number.replace('+', '%252B'),
    everyDigit,
  ];
  const places: readonly (readonly [method: string, path: string])[] = [
    ['PUT', '/api/v1/suppressions/NUMBER'],
    ['PATCH', '/api/v1/suppressions/NUMBER'],
    ['GET', '/api/v1/suppressions?recipient=NUMBER'],
    ['GET', '/api/v1/messages?reference=NUMBER&unknown=NUMBER'],
    ['GET', '/api/v1/sms/status/NUMBER'],
    ['GET', '/NUMBER/x'],
    ['GET', '/docs/NUMBER'],
    ['GET', '/admin/assets/NUMBER'],
    ['GET', '/admin/api/search?q=NUMBER'],
    ['GET', '/admin/api/NUMBER'],
  ];

  it('of a path, a query or a refused body is in no log', async () => {
    for (const [method, path] of places) {
      for (const spell of spellings) {
        const address = path.replaceAll('NUMBER', spell(next()));
        const { status } = await raw(method, address, method === 'PUT' ? { body: '{}' } : {});
        expect([method, address, status < 500]).toEqual([method, address, true]);
      }
    }
    const send = '/api/v1/sms/send';
    const bodies: readonly RequestInit[] = [
      { body: JSON.stringify({ to: next(), message: 5, [next()]: next() }) },
      { body: `{"to":"${next()}",}` },
      { body: `to=${next()}`, headers: { 'Content-Type': `text/${next().slice(1)}` } },
      { body: '{}', headers: { 'Idempotency-Key': next() } },
    ];
    for (const init of bodies) expect((await raw('POST', send, init)).status).toBeLessThan(500);
    const log = (await everyLog()).join('\n');
    expect(log).toContain('"message":"request"');
    const digits = used.map((number) => number.slice(-9));
    expect(digits.filter((each) => log.includes(each) || log.includes(everyDigit(each)))).toEqual([]);
  });
});
