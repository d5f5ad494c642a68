/** The order of the steps, and what every response has, whichever step ends the request. */
import { setTimeout as pause } from 'node:timers/promises';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { secretHash } from '../../../shared/client/client.ts';
import { GatewayError, invalidFields } from '../../../shared/contract/errors.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { httpFunction, publicHttpFunction } from '../../../shared/http/http-function.ts';
import { matchRoute } from '../../../shared/http/match-route.ts';
import { callerAddress } from '../../../shared/http/read-request.ts';
import { redirectTo } from '../../../shared/http/response.ts';
import { dynamoClient } from '../../../shared/platform/aws/clients.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { ConnectionName } from '../../support/engine/test-tables.ts';
import { writeRows } from '../../support/engine/write-rows.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const outage = new Error('no table');
const apiKey = `sk-${'k'.repeat(43)}`;
const counter = 'client_1|POST /api/v1/sms/send|2026-11-20';
const rows: Partial<Record<ConnectionName, Record<string, unknown>>> = {
  clients: {
    client_id: 'client_1',
    name: 'A',
    scopes: ['messages'],
    disabled: false,
    secrets: [],
    created_at: now.toISOString(),
  },
  api_keys: {
    key_hash: secretHash(apiKey),
    key_id: 'key_1',
    client_id: 'client_1',
    created_at: now.toISOString(),
  },
};

interface Faults {
  readonly authenticate?: Error;
  readonly disabled?: boolean;
  readonly count?: Error;
  readonly exhausted?: boolean;
  readonly blocked?: boolean;
  readonly body?: string;
  readonly header?: string;
  readonly operation?: Error;
  /** In place of what the event has. */
  readonly event?: Partial<APIGatewayProxyEvent>;
}

const context = testContext(undefined, {
  clock: () => now,
  env: { TOKEN_ISSUER: 'https://gateway.example/live' },
});

const lambda = { getRemainingTimeInMillis: () => 10_000 } as Context;

function eventOf({ header = 'text', body = '{"to":1}', event }: Faults): APIGatewayProxyEvent {
  return {
    httpMethod: 'POST',
    resource: '/api/v1/sms/send',
    path: '/api/v1/sms/send/+447700900123',
    headers: { 'Content-Type': 'application/json', 'X-Text': header, Authorization: `Bearer ${apiKey}` },
    body,
    requestContext: { requestId: 'request-1', identity: { sourceIp: '203.0.113.1' } },
    ...event,
  } as unknown as APIGatewayProxyEvent;
}

/** Sends one request, and tells which steps ran. */
async function send(faults: Faults) {
  const ran: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const step = (name: string, fault: Error | undefined) => {
    ran.push(name);
    if (fault !== undefined) throw fault;
  };
  let isReady = false;
  const tables = inMemoryTables({
    around: ({ operation, input }, run) => {
      if (isReady && input.TableName === 'api_keys') step('authenticate', faults.authenticate);
      if (isReady && operation === 'UpdateItem') step('count', faults.count);
      return run();
    },
  });
  const write = (table: ConnectionName, row: object) => writeRows(tables.dynamo, tables.names[table], [row]);
  await write('api_keys', rows.api_keys ?? {});
  await write('clients', { ...rows.clients, disabled: faults.disabled ?? false });
  const endpoint = 'POST /api/v1/sms/send';
  if (faults.blocked) await write('limit_overrides', { client_id: 'client_1', endpoint, blocked: true });
  if (faults.exhausted) await write('rate_counters', { counter, m201200: 60, h2012: 60, d20: 60 });
  isReady = true;
  const line = (level: string) => (_message: string, fields?: object) => logged.push({ level, ...fields });
  const handler = httpFunction(
    testContext(tables, {
      clock: () => now,
      env: { TOKEN_ISSUER: 'https://gateway.example/live' },
      log: { info: line('info'), warn: line('warn'), error: line('error') },
    }),
    routes.sendSms,
    async ({ body }) => {
      step('act', faults.operation);
      return { status: 202, body, headers: { 'X-RateLimit-Limit': '1' } };
    },
  );
  const { statusCode, headers, body } = await handler(eventOf(faults), lambda);
  return { ran, logged, status: statusCode, headers, body: JSON.parse(body) };
}

it('a good request passes every step; the headers of the operation override those of the limit', async () => {
  const { ran, status, headers, body } = await send({});
  expect([ran, status, body]).toEqual([['authenticate', 'count', 'act'], 202, { to: 1 }]);
  expect(headers).toMatchObject({ 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '59' });
});

const cases: readonly [Faults, readonly string[], number, string][] = [
  [{}, ['authenticate', 'count', 'act'], 202, '59'],
  [{ authenticate: outage }, ['authenticate'], 503, '0'],
  [{ disabled: true }, ['authenticate', 'count'], 403, '59'],
  [{ count: outage }, ['authenticate', 'count'], 503, '0'],
  [{ exhausted: true, disabled: true }, ['authenticate', 'count'], 429, '0'],
  [{ blocked: true }, ['authenticate', 'count'], 403, '59'],
  [{ blocked: true, exhausted: true }, ['authenticate', 'count'], 403, '0'],
  [{ header: '\ud800', body: 'no JSON' }, ['authenticate', 'count'], 400, '59'],
  [{ body: 'no JSON' }, ['authenticate', 'count'], 400, '59'],
  [{ operation: new Error('a bug') }, ['authenticate', 'count', 'act'], 500, '59'],
];

it.each(cases)('%j ends after %j with %d', async (faults, ran, status, remaining) => {
  const response = await send(faults);
  expect([response.ran, response.status]).toEqual([ran, status]);
  expect(response.headers).toMatchObject({
    'X-Request-Id': 'request-1',
    'X-RateLimit-Remaining': remaining,
    'Cache-Control': 'no-store',
  });
  expect(response.logged).toMatchObject([
    { level: status < 500 ? 'info' : 'error', request_id: 'request-1', status, policy: 'sms_send' },
  ]);
  expect(response.logged).toMatchObject([{ path: '/api/v1/sms/send' }]);
  expect(JSON.stringify(response.logged)).not.toContain('447700900123');
});

it.each([
  [[{ field: 'to', message: 'must be a number' }], 'to: must be a number.'],
  [[{ field: 'too', message: 'Did you mean to?' }], 'too: Did you mean to?'],
  [
    [
      { field: 'to', message: 'This field is required.' },
      { field: 'from', message: 'x' },
    ],
    'to: This field is required. See details for one more error.',
  ],
  [['a', 'b', 'c'].map((field) => ({ field, message: 'x' })), 'a: x. See details for 2 more errors.'],
])('a 400 names the first fault in its message, and links to its code: %#', async (details, message) => {
  const { body } = await send({ operation: invalidFields(details) });
  expect(body).toEqual({
    error: 'invalid_request',
    message,
    request_id: expect.any(String),
    doc_url: 'https://gateway.example/live/docs/errors#invalid_request',
    details,
  });
});

const lone = 'a\ud800';

it.each<[string, Faults, string]>([
  ['a field', { body: JSON.stringify({ to: lone }) }, 'to'],
  ['a field inside another', { body: JSON.stringify({ list: [{ deep: lone }] }) }, 'list[0].deep'],
  ['a key', { body: JSON.stringify({ [lone]: 1 }) }, 'a\ufffd'],
  ['a header', { header: lone }, 'X-Text'],
  [
    'the name of a header',
    { event: { headers: { [lone]: 'x', Authorization: `Bearer ${apiKey}` } } },
    'a\ufffd',
  ],
  ['a query parameter', { event: { queryStringParameters: { limit: lone } } }, 'limit'],
  ['a path parameter', { event: { pathParameters: { message_id: lone } } }, 'message_id'],
])('text that is not well-formed is 400, with the name of its place: %s', async (_place, faults, field) => {
  const { status, body } = await send(faults);
  expect([status, body.details]).toMatchObject([400, [{ field }]]);
});

it('the log line of a refusal has its client, its reason and the names of faulty fields, but nothing that the caller wrote', async () => {
  const fields = ['recipients[2].to', 'recipients[0].to', 'message', 'n447700900123', 'my secret is 1'];
  const details = fields.map((field) => ({ field, message: 'not 07700 900123' }));
  const operation = new GatewayError('invalid_request', 'No +44 7700 900123.', { details });
  const { logged } = await send({ operation });
  expect(logged).toMatchObject([
    {
      ...{ client_id: 'client_1', method: 'POST', path: '/api/v1/sms/send', status: 400 },
      ...{ error: 'invalid_request', faulty_fields: ['recipients', 'message'] },
    },
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/7700|secret/);
  const [other] = (await send({ disabled: true })).logged;
  expect(other).toMatchObject({ client_id: 'client_1', status: 403, error: 'forbidden' });
});

it('the error_description of RFC 6749 has the characters that it may have, and equals the message', async () => {
  const handler = publicHttpFunction(
    context,
    routes.issueToken,
    () => Promise.reject(new GatewayError('invalid_scope', 'No "é\\\u0000😀…\n" here.')),
    { oauthErrors: true },
  );
  const { body } = await handler(eventOf({}), lambda);
  const { message, error_description } = JSON.parse(body);
  expect([message, error_description]).toEqual(Array.from({ length: 2 }, () => 'No ???????? here.'));
});

it.each([
  [{ queryStringParameters: { reference: 'a\uFFFD' } }, 'reference'],
  [{ multiValueQueryStringParameters: { reference: ['a', '\uFFFD('] } }, 'reference'],
  [{ queryStringParameters: { '\uFFFD': 'x' } }, '\uFFFD'],
  [{ pathParameters: { message_id: '\uFFFD' } }, 'message_id'],
  [{ pathParameters: { proxy: 'docs/\uFFFD' } }, 'proxy'],
])(
  'what API Gateway makes of bytes that are not UTF-8 is refused in paths and queries: %j',
  async (given, field) => {
    const handler = publicHttpFunction(context, routes.issueToken, async () => ({ status: 200, body: {} }));
    const { statusCode, body } = await handler({ ...eventOf({}), ...given }, lambda);
    expect([statusCode, JSON.parse(body)]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_request', details: [expect.objectContaining({ field })] }),
    ]);
    const inBody = { body: '{"text":"\uFFFD"}', headers: { 'Content-Type': 'application/json' } };
    expect(await handler({ ...eventOf({}), ...inBody }, lambda)).toMatchObject({ statusCode: 200 });
  },
);

it('a query parameter that is given twice has both values, so that none of them is followed', async () => {
  const queries: unknown[] = [];
  const handler = publicHttpFunction(context, routes.issueToken, async ({ query }) => {
    queries.push(query);
    return { status: 200, body: {} };
  });
  await handler(
    {
      ...eventOf({}),
      queryStringParameters: { dry_run: 'false', limit: '5', status: 'sent' },
      multiValueQueryStringParameters: { dry_run: ['true', 'false'], limit: ['5', '5'], status: ['sent'] },
    },
    lambda,
  );
  expect(queries).toEqual([{ dry_run: 'true,false', limit: '5', status: 'sent' }]);
});

/** The time of a request, after which it is answered with 503. */
const requestMs = 1000;

/** A table whose responses are lost, which is noticed only after the time of the request. */
function aTable() {
  const calls: AbortSignal[] = [];
  const requestHandler = {
    async handle(_request: unknown, { abortSignal }: { readonly abortSignal: AbortSignal }) {
      calls.push(abortSignal);
      await pause(requestMs + 200);
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    },
  };
  const client = dynamoClient({
    region: 'eu-west-2',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: requestHandler as never,
  });
  const write = () => client.send(new UpdateItemCommand({ TableName: 'a', Key: { id: { S: 'a' } } }));
  return { calls, write };
}

/** As Lambda freezes a process, in which no timer ends then. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it.each<[string, number, (write: () => Promise<unknown>) => Promise<unknown>]>([
  ['under way is ended, and not repeated', 1, (write) => write()],
  ['to come is not made', 0, (write) => pause(requestMs + 100).then(write)],
  [
    'to come is not made when the process is thawed',
    0,
    (write) => {
      freeze(requestMs + 100);
      return write();
    },
  ],
])('after the deadline of a request, a call %s', async (_case, count, work) => {
  const { calls, write } = aTable();
  const handler = publicHttpFunction(context, routes.issueToken, async () => {
    await work(write);
    return { status: 200, body: {} };
  });
  const given = { getRemainingTimeInMillis: () => requestMs + 500 } as Context;
  expect(await handler(eventOf({}), given)).toMatchObject({ statusCode: 503 });
  expect(calls.every(({ aborted }) => aborted)).toBe(true);
  await pause(1000);
  expect(calls).toHaveLength(count);
});

const someRoutes = [
  { method: 'GET', path: '/a' },
  { method: 'POST', path: '/a/{id}/b' },
  { method: 'GET', path: '/a/{id}/b/{other}' },
  { method: 'GET', path: '/files/{proxy+}' },
] as const;

it.each([
  ['GET', '/a', '/a', {}],
  ['HEAD', '/a', '/a', {}],
  ['POST', '/a/1/b', '/a/{id}/b', { id: '1' }],
  ['GET', '/a/1%2F2/b/3', '/a/{id}/b/{other}', { id: '1%2F2', other: '3' }],
  ['GET', '/files/x/y', '/files/{proxy+}', { proxy: 'x/y' }],
])('%s %s is the route %s', (method, path, expected, pathParameters) => {
  const match = matchRoute(someRoutes, method, path);
  expect([match.route.path, match.pathParameters]).toEqual([expected, pathParameters]);
});

it.each([
  ['POST', '/a', 'method_not_allowed', { Allow: 'GET, HEAD' }],
  ['DELETE', '/a/1/b', 'method_not_allowed', { Allow: 'POST' }],
  ['GET', '/a/', 'not_found', {}],
  ['POST', '/a//b', 'not_found', {}],
  ['GET', '/files', 'not_found', {}],
  ['GET', '/{id}', 'not_found', {}],
])('%s %s has no route: %s', (method, path, code, headers) => {
  expect(() => matchRoute(someRoutes, method, path)).toThrow(expect.objectContaining({ code, headers }));
});

it.each([
  [
    'https://abc.execute-api.eu-west-1.amazonaws.com/prod',
    'https://abc.execute-api.eu-west-1.amazonaws.com/prod/docs',
  ],
  ['https://api.example.com', 'https://api.example.com/docs'],
  ['http://localhost:3000', '/docs'],
])('a redirect from %s leads to %s', (baseUrl, location) => {
  const { status, headers } = redirectTo(baseUrl, '/docs');
  expect([status, headers?.Location]).toEqual([302, location]);
});

const proxies = { addresses: ['192.0.2.0/24', '2001:db8:1::/48'], header: 'X-Real-IP' };
const namedCaller = '203.0.113.7';

describe('the address of a caller', () => {
  it.each(['192.0.2.10', '2001:db8:1::2'])('is the one that a trusted proxy names: %s', (proxy) => {
    expect(callerAddress(proxies)(proxy, { 'x-real-ip': namedCaller })).toBe(namedCaller);
    expect(callerAddress(proxies)(proxy, { 'x-real-ip': ' 2001:db8:9::1 ' })).toBe('2001:db8:9::1');
  });

  it.each(['198.51.100.1', '192.0.3.1', '2001:db8:2::1', 'no-address'])(
    'is the source address of everybody else, whatever headers it sends: %s',
    (source) => {
      const headers = {
        'x-real-ip': namedCaller,
        'x-forwarded-for': '192.0.2.10',
        forwarded: 'for=192.0.2.10',
      };
      expect(callerAddress(proxies)(source, headers)).toBe(source);
      expect(callerAddress(undefined)(source, headers)).toBe(source);
    },
  );

  it.each<Record<string, string>>([
    {},
    ...['', 'unknown', `${namedCaller}, 192.0.2.10`, `${namedCaller}:443`, '192.0.2.10/32'].map((name) => ({
      'x-real-ip': name,
    })),
    // Callers write into this header.
    { 'x-forwarded-for': namedCaller },
  ])('is the address of the proxy if the proxy names none: %j', (headers) => {
    expect(callerAddress(proxies)('192.0.2.10', headers)).toBe('192.0.2.10');
  });
});
