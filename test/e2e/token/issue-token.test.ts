import type { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { createClient, rotateClientSecret, setClientDisabled } from '../../../shared/client/client-admin.ts';
import { routes } from '../../../shared/contract/routes.ts';
import {
  authenticateByCredentials,
  tokenRequestFormats,
} from '../../../shared/http/authenticate-by-credentials.ts';
import { type HttpFunction, publicHttpFunction } from '../../../shared/http/http-function.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { issueToken } from '../../../shared/token/grant-token.ts';
import { verifyToken } from '../../../shared/token/verify-token.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import {
  type Access,
  accessTo,
  audience,
  createSigningKey,
  issuer,
  jsonType,
  send,
} from '../../support/gateway/access.ts';
import { kmsClient } from '../../support/gateway/gateway.ts';
import { rowsOf } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const grant = 'client_credentials';

const idOf = (client_id: string) => ({ client_id, client_secret: 'x', grant_type: grant });
const basicOf = (idLength: number, secretLength: number): string =>
  `Basic ${Buffer.from(`${'a'.repeat(idLength)}:${'s'.repeat(secretLength)}`).toString('base64')}`;

describe('POST /api/v1/auth/token', () => {
  let tables: TestTables;
  let kms: KMSClient;
  let access: Access;
  let newFunction: () => HttpFunction;
  let addresses = 0;

  beforeAll(async () => {
    tables = await createTables();
    access = accessTo(tables, now);
    kms = kmsClient();
    const keyId = await createSigningKey(kms);
    newFunction = () => {
      const { env, ...process } = access.newProcess();
      const context = { ...process, kms, env: { ...env, TOKEN_SIGNING_KEY_ID: keyId } };
      return publicHttpFunction(context, routes.issueToken, (request) => issueToken(context, request), {
        authenticate: (request) => authenticateByCredentials(context, request),
        overrides: context,
        formats: tokenRequestFormats,
        headers: { 'Cache-Control': 'no-store' },
        oauthErrors: true,
      });
    };
  });
  afterAll(async () => {
    await tables.drop();
    kms.destroy();
  });

  const path = '/api/v1/auth/token';
  const newClient = async () => {
    const wanted = { name: 'A', scopes: ['messages', 'admin'] } as const;
    const { client, clientSecret } = await createClient(access.admin, wanted, now);
    return { client_id: client.client_id, client_secret: clientSecret, grant_type: grant };
  };
  const newAddress = (): string => {
    addresses += 1;
    return `198.51.100.${addresses}`;
  };
  const post = (handler: HttpFunction, body: object, sourceIp = newAddress()) =>
    send(handler, { path, headers: jsonType, body: JSON.stringify(body), sourceIp });
  const basic = (id: string, secret: string): string =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

  it('answers the credentials of a client with a token for one hour that verifies', async () => {
    const credentials = await newClient();
    const { status, headers, body } = await post(newFunction(), credentials);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'X-RateLimit-Limit': '20',
      'X-RateLimit-Remaining': '19',
      'X-RateLimit-Policy': '20;w=60;comment=auth_token_minute',
    });
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
    const claims = await verifyToken(access.newProcess(), String(body.access_token));
    const issuedAt = now.getTime() / 1000;
    expect(claims).toMatchObject({
      client_id: credentials.client_id,
      scope: 'messages admin',
      exp: issuedAt + 3600,
    });
    expect(decodeJwt(String(body.access_token))).toMatchObject({ iss: issuer, aud: audience, iat: issuedAt });
  });

  it('records who asked for a token with the scope admin, and from where; of other tokens nothing', async () => {
    const credentials = await newClient();
    const sourceIp = newAddress();
    const entries = () => rowsOf(tables, tables.names.activity_log, credentials.client_id);
    await post(newFunction(), { ...credentials, scope: 'messages' }, sourceIp);
    expect(await entries()).toEqual([]);
    await post(newFunction(), { ...credentials, client_secret: 'wrong' }, sourceIp);
    expect(await entries()).toEqual([]);
    await post(newFunction(), credentials, sourceIp);
    const { client_id } = credentials;
    expect(await entries()).toEqual([
      expect.objectContaining({
        kind: 'signed_in',
        actor: client_id,
        client_id,
        summary: `A requested a token with the scope admin from ${sourceIp}`,
      }),
    ]);
    expect(JSON.stringify(await entries())).not.toContain(credentials.client_secret);
  });

  it.each([
    ['admin', 'admin'],
    ['messages', 'messages'],
    [' admin  messages ', 'messages admin'],
    ['admin admin', 'admin'],
  ])('narrows the token to the scopes asked for: %j', async (scope, given) => {
    const { status, body } = await post(newFunction(), { ...(await newClient()), scope });
    expect([status, body.scope]).toEqual([200, given]);
    expect(decodeJwt(String(body.access_token)).scope).toBe(given);
  });

  it.each([undefined, null, '', ' '])('gives all scopes where none is asked for: %j', async (scope) => {
    const { body } = await post(newFunction(), { ...(await newClient()), scope });
    expect(body).not.toHaveProperty('scope');
    expect(decodeJwt(String(body.access_token)).scope).toBe('messages admin');
  });

  it.each(['billing', 'messages billing', 'Admin', 'toString', 'messages,admin'])(
    'refuses a scope that the client has not: %s',
    async (scope) => {
      const credentials = await newClient();
      const refused = { status: 400, body: { error: 'invalid_scope' } };
      expect(await post(newFunction(), { ...credentials, scope })).toMatchObject(refused);
      const form = new URLSearchParams({ ...credentials, scope }).toString();
      expect(await send(newFunction(), { path, headers: formType, body: form })).toMatchObject(refused);
    },
  );

  it.each([
    ['more than 8 KiB', jsonType, `{"padding":"${'x'.repeat(8 * 1024)}"}`, 413],
    ['more than 8 KiB that are no JSON', jsonType, '['.repeat(3_000_000), 413],
    ['more than 8 KiB beside a header', { ...jsonType, authorization: 'Basic YTpi' }, ' '.repeat(9000), 413],
    ['no JSON', jsonType, '{', 400],
    ['of another type', { 'content-type': 'text/plain' }, 'a', 415],
    ['a lone surrogate', jsonType, '{"client_id":"\\ud800","client_secret":"x","grant_type":"x"}', 400],
    ['an id of 256 characters', jsonType, JSON.stringify(idOf('\uffff'.repeat(256))), 401],
    ['a form with bytes that are no UTF-8', formType, 'client_id=%ff&client_secret=x&grant_type=x', 400],
    ['a form with a parameter twice', formType, 'client_id=a&client_id=b&client_secret=x&grant_type=x', 400],
    ['a form of __proto__', formType, '__proto__=a&client_id=b', 400],
    [
      'an id of 3,000 characters in the header',
      { ...jsonType, authorization: basicOf(3000, 1) },
      '{"grant_type":"x"}',
      401,
    ],
    [
      'a secret of 3,000 characters in the header',
      { ...jsonType, authorization: basicOf(1, 3000) },
      '{"grant_type":"x"}',
      401,
    ],
  ])('counts %s on the source address', async (_what, headers, body, status) => {
    const sourceIp = newAddress();
    const handler = newFunction();
    await send(handler, { path, headers, body, sourceIp });
    const response = await send(handler, { path, headers, body, sourceIp });
    expect(response.status).toBe(status);
    expect(response.headers['X-RateLimit-Remaining']).toBe('18');
  });

  it('refuses a wrong secret and an unknown client alike, on the source address', async () => {
    const credentials = await newClient();
    const handler = newFunction();
    const sourceIp = newAddress();
    const wrong = await post(handler, { ...credentials, client_secret: 'cs_wrong' }, sourceIp);
    const unknown = await post(handler, { ...credentials, client_id: 'client_unknown' }, sourceIp);
    for (const response of [wrong, unknown]) {
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      expect(response.body.error_description).toBe(response.body.message);
      expect(response.headers).toMatchObject({
        'WWW-Authenticate': expect.any(String),
        'Cache-Control': 'no-store',
      });
    }
    expect(unknown.body.message).toBe(wrong.body.message);
    expect(unknown.headers['X-RateLimit-Remaining']).toBe('18');
  });

  it('cannot be closed to a client by someone who guesses its secret', async () => {
    const credentials = await newClient();
    const handler = newFunction();
    const sourceIp = newAddress();
    const guesses = [];
    for (let i = 0; i < 25; i += 1) {
      guesses.push((await post(handler, { ...credentials, client_secret: `cs_${i}` }, sourceIp)).status);
    }
    expect(guesses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    expect((await post(handler, credentials)).headers['X-RateLimit-Remaining']).toBe('19');
    expect((await post(handler, credentials, sourceIp)).status).toBe(200);
  });

  it('refuses credentials in two places, and a header that is none', async () => {
    const { client_id, client_secret } = await newClient();
    const both = { path, headers: { ...jsonType, authorization: basic(client_id, client_secret) } };
    const body = JSON.stringify({ client_id, client_secret, grant_type: grant });
    expect((await send(newFunction(), { ...both, body })).status).toBe(400);
    const other = JSON.stringify({ client_id: 'client_other', grant_type: grant });
    expect((await send(newFunction(), { ...both, body: other })).status).toBe(401);
    for (const authorization of ['Basic', 'Basic %%%', 'Basic YWJj', basic('a', '%zz')]) {
      const headers = { ...jsonType, authorization };
      expect((await send(newFunction(), { path, headers, body: `{"grant_type":"${grant}"}` })).status).toBe(
        401,
      );
    }
  });

  it('takes the old and the new secret for 24 h after a rotation, in processes that knew only the old', async () => {
    const credentials = await newClient();
    const handler = newFunction();
    expect((await post(handler, credentials)).status).toBe(200);
    const client_secret = await rotateClientSecret(access.admin, credentials.client_id, now);
    expect((await post(handler, { ...credentials, client_secret })).status).toBe(200);
    expect((await post(handler, credentials)).status).toBe(200);
    access.now = addSeconds(now, 24 * 3600);
    const [old, fresh] = [
      await post(handler, credentials),
      await post(handler, { ...credentials, client_secret }),
    ];
    access.now = now;
    expect([old.status, fresh.status]).toEqual([401, 200]);
  });

  it('refuses a disabled client', async () => {
    const credentials = await newClient();
    await setClientDisabled(access.admin, credentials.client_id, true);
    expect(await post(newFunction(), credentials)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  });

  it('makes two AWS calls once it is warm: the count and the signature', async () => {
    const credentials = { ...(await newClient()), scope: 'messages' };
    const handler = newFunction();
    await post(handler, credentials);
    const calls: unknown[] = [];
    const record =
      (next: (args: never) => Promise<never>, context: { commandName?: string }) => async (args: never) => {
        calls.push(context.commandName);
        return await next(args);
      };
    tables.dynamo.middlewareStack.add(record as never, { step: 'initialize', name: 'spy' });
    kms.middlewareStack.add(record as never, { step: 'initialize', name: 'spy' });
    await post(handler, credentials);
    tables.dynamo.middlewareStack.remove('spy');
    kms.middlewareStack.remove('spy');
    expect(calls).toEqual(['UpdateItemCommand', 'SignCommand']);
  });
});
