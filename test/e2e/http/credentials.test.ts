/** Who is let in: a request with a credential counts on its client, one without on its address. */

import type { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { createClient, revokeApiKey, setClientDisabled } from '../../../shared/client/client-admin.ts';
import { findClient } from '../../../shared/client/client-store.dynamo.ts';
import { adminRoutes } from '../../../shared/contract/routes.ts';
import { httpFunction } from '../../../shared/http/http-function.ts';
import type { ApiRequest } from '../../../shared/operation/operation.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { issueToken } from '../../../shared/token/grant-token.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Access, accessTo, createSigningKey, jsonType, send } from '../../support/gateway/access.ts';
import { accepted, bearer, functionOf, keyOf, newAddress } from '../../support/gateway/callers.ts';
import { kmsClient } from '../../support/gateway/gateway.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const reset = String(Date.parse('2026-11-20T12:01:00.000Z') / 1000);

let tables: TestTables;
let kms: KMSClient;
let access: Access;

beforeAll(async () => {
  tables = await createTables();
  access = accessTo(tables, now);
  kms = kmsClient();
});
afterAll(async () => {
  await tables.drop();
  kms.destroy();
});

const keyOfNewClient = (wanted?: Parameters<typeof keyOf>[1]) => keyOf(access, wanted);

async function tokenOf(
  clientId: string,
  scopes: readonly ('messages' | 'admin')[] = ['messages'],
): Promise<string> {
  const client = await findClient(access.admin, clientId);
  if (client === undefined) throw new Error('no client');
  keyId ??= await createSigningKey(kms);
  const { env, ...process } = access.newProcess();
  const context = { ...process, kms, env: { ...env, TOKEN_SIGNING_KEY_ID: keyId } };
  const request = {
    caller: { clientId, scopes, client },
    body: { grant_type: 'client_credentials' },
    now: access.now,
    sourceIp: '203.0.113.1',
  };
  const { body } = await issueToken(context, request as unknown as ApiRequest);
  return z.object({ access_token: z.string() }).parse(body).access_token;
}
let keyId: string | undefined;

describe('a request with a credential', () => {
  it('is let in with a token or an API key that was made a moment ago, whatever the case of the scheme', async () => {
    const { clientId, apiKey } = await keyOfNewClient();
    const handler = functionOf(access);
    const token = await tokenOf(clientId);
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${apiKey}`]) {
      const { status, body } = await send(handler, { headers: { authorization } });
      expect({ status, client: body.client_id }).toEqual({ status: 202, client: clientId });
    }
  });

  it('counts on its client, with the headers of the binding window and the request id', async () => {
    const { apiKey } = await keyOfNewClient();
    const { headers } = await send(functionOf(access), { headers: bearer(apiKey) });
    expect(headers).toMatchObject({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': reset,
      'X-RateLimit-Policy': '60;w=60;comment=sms_send_minute',
      'X-Request-Id': expect.any(String),
    });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  it('makes one AWS call of its own once it is warm: the count', async () => {
    const { clientId } = await keyOfNewClient();
    const headers = bearer(await tokenOf(clientId));
    const handler = functionOf(access);
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
    const handler = functionOf(access);
    for (const credential of [token, revoked.apiKey]) {
      expect((await send(handler, { headers: bearer(credential) })).status).toBe(202);
    }
    await setClientDisabled(access.admin, disabled.clientId, true);
    await revokeApiKey(access.admin, revoked.clientId, revoked.keyId, access.now);
    access.now = addSeconds(now, 46);
    const responses = [
      await send(handler, { headers: bearer(token) }),
      await send(handler, { headers: bearer(revoked.apiKey) }),
    ];
    access.now = now;
    expect(responses.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'forbidden'],
      [401, 'unauthorized'],
    ]);
  });

  it('without the scope is refused, whether the token or the client lacks it, and counts on the client', async () => {
    const wanted = { name: 'A', scopes: ['admin'] } as const;
    const { client } = await createClient(access.admin, wanted, access.now);
    const ofAdmin = await tokenOf(client.client_id, ['messages', 'admin']);
    const { clientId } = await keyOfNewClient({ scopes: ['messages', 'admin'] });
    const narrow = await tokenOf(clientId, ['admin']);
    for (const credential of [ofAdmin, narrow]) {
      const { status, body, headers } = await send(functionOf(access), { headers: bearer(credential) });
      expect([status, body.error]).toEqual([403, 'forbidden']);
      expect(headers['WWW-Authenticate']).toContain('insufficient_scope');
    }
    const { headers } = await send(functionOf(access), { headers: bearer(narrow) });
    expect(headers['X-RateLimit-Remaining']).toBe('58');
  });

  it('that is an API key opens the messages API and never the admin API, whatever its client may do', async () => {
    const { apiKey } = await keyOfNewClient({ scopes: ['messages', 'admin'] });
    expect((await send(functionOf(access), { headers: bearer(apiKey) })).status).toBe(202);
    const handler = httpFunction(access.newProcess(), adminRoutes.adminApi, accepted);
    const { status, body, headers } = await send(handler, { headers: bearer(apiKey) });
    expect([status, body.error]).toEqual([403, 'forbidden']);
    expect(headers['WWW-Authenticate']).toContain('scope="admin"');
  });
});

const part = (json: string): string => Buffer.from(json).toString('base64url');
/** A token by nobody, with these in its header. */
const invented = (header: object): string => {
  const whole = { alg: 'ES256', typ: 'at+jwt', kid: 'k'.repeat(43), ...header };
  return `${part(JSON.stringify(whole))}.${part('{"sub":"a"}')}.${'A'.repeat(86)}`;
};

describe('a request without a valid credential', () => {
  it.each([
    ['no header', undefined],
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer a b'],
    ['an invented token', 'Bearer a.b.c'],
    ['an invented key', `Bearer sk-${'A'.repeat(43)}`],
    ['a malformed key', 'Bearer sk-1'],
    ['a kid that is a list', `Bearer ${invented({ kid: ['k'.repeat(43)] })}`],
    ['a kid that is an object', `Bearer ${invented({ kid: { toString: 'k'.repeat(43) } })}`],
    ['an algorithm that is a list', `Bearer ${invented({ alg: ['ES256'] })}`],
    ['a type that is a number', `Bearer ${invented({ typ: 7 })}`],
    ['a critical header that nobody knows', `Bearer ${invented({ crit: ['b64'], b64: false })}`],
    ['a header that is no object', `Bearer ${part('[]')}.${part('{}')}.AAAA`],
    ['a header of text', `Bearer ${part('"x"')}.${part('{}')}.AAAA`],
    ['a header without an end', `Bearer ${part('{"alg":')}.${part('{}')}.AAAA`],
    ['a key of 3,000 characters', `Bearer sk-${'A'.repeat(3000)}`],
    ['a token of 3,000 characters', `Bearer ${'A'.repeat(3000)}`],
    ['a lone surrogate', 'Bearer \ud800'],
    ['a NUL', 'Bearer a\u0000b'],
  ])('(%s) is refused, says how to authenticate, and counts on its address', async (_what, authorization) => {
    const sourceIp = newAddress();
    const headers = authorization === undefined ? jsonType : { ...jsonType, authorization };
    const handler = functionOf(access);
    await send(handler, { headers, sourceIp });
    const response = await send(handler, { headers, sourceIp, body: '{broken' });
    expect([response.status, response.body.error]).toEqual([401, 'unauthorized']);
    expect(response.headers['WWW-Authenticate']).toMatch(/^Bearer realm=/);
    expect(response.headers['X-RateLimit-Remaining']).toBe('58');
  });

  it('uses up its address and not the client whose address it is', async () => {
    const sourceIp = newAddress();
    const { apiKey } = await keyOfNewClient();
    const handler = functionOf(access);
    for (let i = 0; i < 60; i += 1) await send(handler, { sourceIp });
    expect((await send(handler, { sourceIp })).status).toBe(429);
    expect((await send(handler, { sourceIp, headers: bearer(apiKey) })).status).toBe(202);
  });
});
