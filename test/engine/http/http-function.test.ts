/** What the function around every operation makes of a body, a fault of ours and a stray path, and what it logs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { routes, unmatchedRoute } from '../../../shared/contract/routes.ts';
import { publicHttpFunction } from '../../../shared/http/http-function.ts';
import { unmatchedError } from '../../../shared/http/match-route.ts';
import { type Operation, parseBody } from '../../../shared/operation/operation.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Access, accessTo, jsonType, send } from '../../support/gateway/access.ts';
import { accepted, bearer, functionOf, keyOf, newAddress } from '../../support/gateway/callers.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const reset = String(Date.parse('2026-11-20T12:01:00.000Z') / 1000);

let tables: TestTables;
let access: Access;

beforeAll(async () => {
  tables = await createTables();
  access = accessTo(tables, now);
});
afterAll(() => tables.drop());

describe('a body', () => {
  const schema = z.object({
    to: z.string(),
    recipients: z.array(z.object({ to: z.string().check(z.minLength(3)) })),
    type: z.optional(z.enum(['a', 'b'])),
  });
  const read: Operation = async (request) => ({ status: 200, body: parseBody(schema, request) });
  const post = async (body: string, headers: Record<string, string> = jsonType) => {
    const { apiKey } = await keyOf(access);
    return await send(functionOf(access, read), {
      body,
      headers: { ...headers, authorization: `Bearer ${apiKey}` },
    });
  };

  it('with faulty fields is refused with all of them at once, by their paths', async () => {
    const { status, body } = await post('{"recipients":[{"to":"abc"},{"to":7},{}],"type":"c"}');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request' });
    const details = z.array(z.object({ field: z.string(), message: z.string() })).parse(body.details);
    expect(details.map(({ field }) => field)).toEqual(['to', 'recipients[1].to', 'recipients[2].to', 'type']);
    expect(details[0]?.message).toBe('This field is required.');
  });

  it.each([
    ['no JSON', '{"to":', jsonType, 400, 'invalid_request'],
    ['no object', '[1]', jsonType, 400, 'invalid_request'],
    ['nothing', '', jsonType, 400, 'invalid_request'],
    [
      'of another type',
      'to=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    ['of no type', '{}', {}, 415, 'unsupported_media_type'],
    [
      'nested deeper than any field',
      `{"to":"+44","recipients":[],"unknown":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      jsonType,
      400,
      'invalid_request',
    ],
    ['too large', `"${'x'.repeat(4 * 1024 * 1024)}"`, jsonType, 413, 'payload_too_large'],
  ])('that is %s is refused, and the request counted', async (_what, body, headers, status, error) => {
    const response = await post(body, headers);
    expect([response.status, response.body.error]).toEqual([status, error]);
    expect(response.body).not.toHaveProperty('details');
    expect(response.headers['X-RateLimit-Remaining']).toBe('59');
  });

  it('with a field __proto__ is refused, with the place of each', async () => {
    const body = '{"to":"+44","recipients":[{"to":"1"},{"variables":{"\\u005f_proto__":1}}],"__proto__":{}}';
    const response = await post(body, jsonType);
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
    expect(response.body.details).toEqual([
      { field: 'recipients[1].variables.__proto__', message: 'is not allowed' },
      { field: '__proto__', message: 'is not allowed' },
    ]);
  });

  it('with a character set and unknown fields is parsed', async () => {
    const body = '{"to":"+44","recipients":[],"unknown":1}';
    const response = await post(body, { 'content-type': 'Application/JSON; charset=UTF-8' });
    expect(response).toMatchObject({ status: 200, body: { to: '+44', recipients: [] } });
  });
});

describe('a fault of ours', () => {
  const failing =
    (error: unknown): Operation =>
    () =>
      Promise.reject(error);
  const call = async (operation: Operation, dependencies = access.newProcess(), remainingMs?: number) => {
    const { apiKey } = await keyOf(access);
    const sent = { headers: bearer(apiKey), ...(remainingMs === undefined ? {} : { remainingMs }) };
    return { dependencies, ...(await send(functionOf(access, operation, dependencies), sent)) };
  };

  it('is a 500 without details, with real rate-limit headers; the log has the cause', async () => {
    const cause = new TypeError('secret detail');
    const { status, body, headers, dependencies } = await call(failing(cause));
    expect([status, body.error]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(headers['X-RateLimit-Remaining']).toBe('59');
    expect(dependencies.logged).toMatchObject([
      { level: 'error', status: 500, error: 'internal_error', cause },
    ]);
  });

  it('is a 503 where a service behind us is out', async () => {
    const timeout = Object.assign(new Error('too slow'), { name: 'TimeoutError' });
    expect(await call(failing(timeout))).toMatchObject({
      status: 503,
      body: { error: 'service_unavailable' },
    });
  });

  it('is a 503 before the function is cut off', async () => {
    const { status, body } = await call(() => new Promise(() => undefined), access.newProcess(), 520);
    expect([status, body.error]).toEqual([503, 'service_unavailable']);
  });

  it('lets nothing in uncounted: 503, with headers that say nothing is left', async () => {
    let ran = false;
    const { env, ...process } = access.newProcess();
    const dependencies = { ...process, env: { ...env, RATE_COUNTERS_TABLE: 'no-such-table' } };
    const operation: Operation = async () => {
      ran = true;
      return { status: 202, body: {} };
    };
    const { status, headers, body } = await call(operation, dependencies);
    expect([status, body.error, ran]).toEqual([503, 'service_unavailable', false]);
    expect(headers).toMatchObject({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': reset,
    });
  });
});

describe('a request that no route takes', () => {
  const refuse: Operation = async ({ method, path }) => {
    throw unmatchedError(Object.values(routes), method, path);
  };
  it.each([
    ['GET', '/api/v1/sms/send', 405, 'POST'],
    ['POST', '/api/v1/sms/status/msg_1', 405, 'GET, HEAD'],
    ['GET', '/api/v1/sms/status/', 404, undefined],
    ['GET', '/api/v1/sms/status/a/b', 404, undefined],
    ['POST', '/', 405, 'GET, HEAD'],
    ['POST', '/api/v1/sms', 404, undefined],
  ])('%s %s is %d, counted on its address as unmatched', async (method, path, status, allow) => {
    const handler = publicHttpFunction(access.newProcess(), unmatchedRoute, refuse, { formats: [] });
    const response = await send(handler, { method, path, body: 'anything', sourceIp: newAddress() });
    expect(response.status).toBe(status);
    expect(response.headers.Allow).toBe(allow);
    expect(response.headers['X-RateLimit-Policy']).toBe('60;w=60;comment=unmatched_minute');
    expect(response.headers['X-RateLimit-Remaining']).toBe('59');
  });
});

it('a request writes one log line, without its body or credential', async () => {
  const { clientId, apiKey } = await keyOf(access);
  const dependencies = access.newProcess();
  await send(functionOf(access, accepted, dependencies), {
    headers: bearer(apiKey),
    body: '{"message":"private"}',
  });
  expect(dependencies.logged).toHaveLength(1);
  expect(dependencies.logged[0]).toMatchObject({
    level: 'info',
    client_id: clientId,
    status: 202,
    message_id: 'msg_1',
  });
  expect(JSON.stringify(dependencies.logged)).not.toMatch(/private|sk-/);
});
