import type { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { type Operation, parseBody } from '../../shared/api.ts';
import {
  createApiKey,
  createClient,
  type NewClient,
  revokeApiKey,
  setClientDisabled,
} from '../../shared/client/client-admin.ts';
import { addSeconds } from '../../shared/clock.ts';
import { unmatchedError } from '../../shared/http/refuse-unmatched.ts';
import { httpFunction } from '../../shared/http.ts';
import { routes, unmatchedRoute } from '../../shared/routes.ts';
import { issueToken } from '../../shared/token/issue-token.ts';
import { kmsTokenSigner } from '../../shared/token/token-signer.kms.ts';
import {
  type Access,
  accessTo,
  audience,
  createSigningKey,
  issuer,
  jsonType,
  type Process,
  send,
} from '../support/access.ts';
import { kmsClient } from '../support/gateway.ts';
import { createTables, type TestTables } from '../support/tables.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const reset = String(Date.parse('2026-11-20T12:01:00.000Z') / 1000);

let tables: TestTables;
let kms: KMSClient;
let access: Access;
let addresses = 0;

beforeAll(async () => {
  tables = await createTables();
  access = accessTo(tables, now);
  kms = kmsClient();
});
afterAll(async () => {
  await tables.drop();
  kms.destroy();
});

const accepted: Operation = async ({ caller, body }) => ({
  status: 202,
  body: { client_id: caller?.clientId, body },
  log: { message_id: 'msg_1' },
});
const functionOf = (operation: Operation = accepted, parts: Process = access.newProcess()) =>
  httpFunction(routes.sendSms, operation, { parts });
const newClient = (wanted: Partial<NewClient> = {}) =>
  createClient(access.admin, { name: 'A', scopes: ['messages'], ...wanted }, access.now);
const newAddress = (): string => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
async function tokenOf(
  clientId: string,
  scopes: readonly ('messages' | 'admin')[] = ['messages'],
): Promise<string> {
  const client = await access.admin.clients.find(clientId);
  if (client === undefined) throw new Error('no client');
  signer ??= kmsTokenSigner(kms, await createSigningKey(kms), access.signingKeys, () => access.now);
  const parts = { signer, issuer, audience, newTokenId: () => 'id' };
  const caller = { clientId, scopes, client };
  const { body } = await issueToken(parts, {
    caller,
    body: { grant_type: 'client_credentials' },
    now: access.now,
  });
  return z.object({ access_token: z.string() }).parse(body).access_token;
}
let signer: ReturnType<typeof kmsTokenSigner> | undefined;
const bearer = (credential: string) => ({ ...jsonType, Authorization: `Bearer ${credential}` });
async function keyOfNewClient(
  wanted: Partial<NewClient> = {},
): Promise<{ clientId: string; apiKey: string; keyId: string }> {
  const { client } = await newClient(wanted);
  const { apiKey, row } = await createApiKey(access.admin, client.client_id, access.now);
  return { clientId: client.client_id, apiKey, keyId: row.key_id };
}

describe('a request with a credential', () => {
  it('is let in with a token or an API key that was made a moment ago, whatever the case of the scheme', async () => {
    const { clientId, apiKey } = await keyOfNewClient();
    const handler = functionOf();
    const token = await tokenOf(clientId);
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${apiKey}`]) {
      const { status, body } = await send(handler, { headers: { authorization } });
      expect({ status, client: body.client_id }).toEqual({ status: 202, client: clientId });
    }
  });

  it('counts on its client, with the headers of the binding window and the request id', async () => {
    const { apiKey } = await keyOfNewClient();
    const { headers } = await send(functionOf(), { headers: bearer(apiKey) });
    expect(headers).toMatchObject({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': reset,
      'X-RateLimit-Policy': '60;w=60;comment=sms_send_minute',
      'X-Request-Id': expect.any(String),
    });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  it('beyond the limit is told how long to wait, in the header and in the body', async () => {
    const { apiKey } = await keyOfNewClient();
    const handler = functionOf();
    for (let i = 0; i < 60; i += 1) await send(handler, { headers: bearer(apiKey) });
    const { status, headers, body } = await send(handler, { headers: bearer(apiKey) });
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': reset,
      'Retry-After': '60',
    });
    expect(body).toMatchObject({
      error: 'rate_limit_exceeded',
      retry_after: 60,
      request_id: headers['X-Request-Id'],
    });
    expect(body.message).toContain('60 seconds');
  });

  it('makes one AWS call of its own once it is warm: the count', async () => {
    const { clientId } = await keyOfNewClient();
    const headers = bearer(await tokenOf(clientId));
    const handler = functionOf();
    await send(handler, { headers });
    const calls: unknown[] = [];
    tables.dynamo.middlewareStack.add(
      (next, context) => async (args) => {
        calls.push(context.commandName);
        return await next(args);
      },
      { step: 'initialize', name: 'spy' },
    );
    await send(handler, { headers });
    tables.dynamo.middlewareStack.remove('spy');
    expect(calls).toEqual(['UpdateItemCommand']);
  });

  it('of a disabled client or a revoked key is refused within 60 s, in processes that knew it', async () => {
    const [disabled, revoked] = [await keyOfNewClient(), await keyOfNewClient()];
    const token = await tokenOf(disabled.clientId);
    const handler = functionOf();
    for (const credential of [token, revoked.apiKey]) {
      expect((await send(handler, { headers: bearer(credential) })).status).toBe(202);
    }
    await setClientDisabled(access.admin, disabled.clientId, true);
    await revokeApiKey(access.admin, revoked.clientId, revoked.keyId, access.now);
    access.now = addSeconds(now, 46);
    const answers = [
      await send(handler, { headers: bearer(token) }),
      await send(handler, { headers: bearer(revoked.apiKey) }),
    ];
    access.now = now;
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'forbidden'],
      [401, 'unauthorized'],
    ]);
  });

  it('without the scope is refused, whether the token or the client lacks it, and counts on the client', async () => {
    const { clientId, apiKey } = await keyOfNewClient({ scopes: ['admin'] });
    for (const credential of [apiKey, await tokenOf(clientId, ['messages', 'admin'])]) {
      const { status, body, headers } = await send(functionOf(), { headers: bearer(credential) });
      expect([status, body.error]).toEqual([403, 'forbidden']);
      expect(headers['WWW-Authenticate']).toContain('insufficient_scope');
    }
    const { headers } = await send(functionOf(), { headers: bearer(apiKey) });
    expect(headers['X-RateLimit-Remaining']).toBe('57');
  });
});

describe('a request without a valid credential', () => {
  it.each([
    ['no header', undefined],
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer a b'],
    ['an invented token', 'Bearer a.b.c'],
    ['an invented key', `Bearer sk-${'A'.repeat(43)}`],
    ['a malformed key', 'Bearer sk-1'],
  ])('(%s) is refused, says how to authenticate, and counts on its address', async (_what, authorization) => {
    const sourceIp = newAddress();
    const headers = authorization === undefined ? jsonType : { ...jsonType, authorization };
    const handler = functionOf();
    await send(handler, { headers, sourceIp });
    const answer = await send(handler, { headers, sourceIp, body: '{broken' });
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized']);
    expect(answer.headers['WWW-Authenticate']).toMatch(/^Bearer realm=/);
    expect(answer.headers['X-RateLimit-Remaining']).toBe('58');
  });

  it('uses up its address and not the client whose address it is', async () => {
    const sourceIp = newAddress();
    const { apiKey } = await keyOfNewClient();
    const handler = functionOf();
    for (let i = 0; i < 60; i += 1) await send(handler, { sourceIp });
    expect((await send(handler, { sourceIp })).status).toBe(429);
    expect((await send(handler, { sourceIp, headers: bearer(apiKey) })).status).toBe(202);
  });
});

describe('a body', () => {
  const schema = z.object({
    to: z.string(),
    recipients: z.array(z.object({ to: z.string().check(z.minLength(3)) })),
    type: z.optional(z.enum(['a', 'b'])),
  });
  const read: Operation = async ({ body }) => ({ status: 200, body: parseBody(schema, body) });
  const post = async (body: string, headers: Record<string, string> = jsonType) => {
    const { apiKey } = await keyOfNewClient();
    return await send(functionOf(read), { body, headers: { ...headers, authorization: `Bearer ${apiKey}` } });
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
    const answer = await post(body, headers);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body).not.toHaveProperty('details');
    expect(answer.headers['X-RateLimit-Remaining']).toBe('59');
  });

  it('with a character set and fields that nobody knows is read', async () => {
    const body = '{"to":"+44","recipients":[],"unknown":1}';
    const answer = await post(body, { 'content-type': 'Application/JSON; charset=UTF-8' });
    expect(answer).toMatchObject({ status: 200, body: { to: '+44', recipients: [] } });
  });
});

describe('a fault of ours', () => {
  const failing =
    (error: unknown): Operation =>
    () =>
      Promise.reject(error);
  const call = async (operation: Operation, parts = access.newProcess(), remainingMs?: number) => {
    const { apiKey } = await keyOfNewClient();
    const sent = { headers: bearer(apiKey), ...(remainingMs === undefined ? {} : { remainingMs }) };
    return { parts, ...(await send(functionOf(operation, parts), sent)) };
  };

  it('is a 500 that tells nothing, with real limits; the log has the cause', async () => {
    const cause = new TypeError('secret detail');
    const { status, body, headers, parts } = await call(failing(cause));
    expect([status, body.error]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(headers['X-RateLimit-Remaining']).toBe('59');
    expect(parts.logged).toMatchObject([{ level: 'error', status: 500, error: 'internal_error', cause }]);
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
    const process = access.newProcess();
    const parts = { ...process, limiter: { check: () => Promise.reject(new Error('no table')) } };
    const operation: Operation = async () => {
      ran = true;
      return { status: 202, body: {} };
    };
    const { status, headers, body } = await call(operation, parts);
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
    throw unmatchedError(method, path, Object.values(routes));
  };
  it.each([
    ['GET', '/api/v1/sms/send', 405, 'POST'],
    ['POST', '/api/v1/sms/status/msg_1', 405, 'GET'],
    ['GET', '/api/v1/sms/status/', 404, undefined],
    ['GET', '/api/v1/sms/status/a/b', 404, undefined],
    ['GET', '/', 404, undefined],
    ['POST', '/api/v1/sms', 404, undefined],
  ])('%s %s is %d, counted on its address as unmatched', async (method, path, status, allow) => {
    const parts = access.newProcess();
    const handler = httpFunction(unmatchedRoute, refuse, { parts, formats: [] });
    const answer = await send(handler, { method, path, body: 'anything', sourceIp: newAddress() });
    expect(answer.status).toBe(status);
    expect(answer.headers.Allow).toBe(allow);
    expect(answer.headers['X-RateLimit-Policy']).toBe('60;w=60;comment=unmatched_minute');
    expect(answer.headers['X-RateLimit-Remaining']).toBe('59');
  });
});

it('one line of log tells of a request, without its body or its credential', async () => {
  const { clientId, apiKey } = await keyOfNewClient();
  const parts = access.newProcess();
  await send(functionOf(accepted, parts), { headers: bearer(apiKey), body: '{"message":"private"}' });
  expect(parts.logged).toHaveLength(1);
  expect(parts.logged[0]).toMatchObject({
    level: 'info',
    client_id: clientId,
    status: 202,
    message_id: 'msg_1',
  });
  expect(JSON.stringify(parts.logged)).not.toMatch(/private|sk-/);
});
