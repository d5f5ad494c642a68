/** The function around every operation: how it reads a body, answers a fault of ours, and logs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { type Operation, parseBody } from '../../../shared/operation/operation.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Access, accessTo, jsonType, send } from '../../support/gateway/access.ts';
import { accepted, bearer, functionOf, keyOf } from '../../support/gateway/callers.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

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

it('a fault of ours is a 500 without details, with real rate-limit headers; the log has the cause', async () => {
  const cause = new TypeError('secret detail');
  const { apiKey } = await keyOf(access);
  const dependencies = access.newProcess();
  const failing = functionOf(access, () => Promise.reject(cause), dependencies);
  const { status, body, headers } = await send(failing, { headers: bearer(apiKey) });
  expect([status, body.error]).toEqual([500, 'internal_error']);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(headers['X-RateLimit-Remaining']).toBe('59');
  expect(dependencies.logged).toMatchObject([
    { level: 'error', status: 500, error: 'internal_error', cause },
  ]);
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
