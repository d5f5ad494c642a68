/** Another service finds the gateway's token endpoint and keys by discovery, and verifies its tokens (RFC 8414, RFC 9068). */
import { expect, it } from '@jest/globals';
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { gateway } from '../../support/gateway/gateway.ts';
import { admitted } from '../../support/http/admitted.ts';
import { call, newClient, tokenOf } from '../../support/http/client.ts';
import { timeLimitMs } from '../../support/http/http-call.ts';

it.each(['oauth-authorization-server', 'openid-configuration'])('by %s', async (name) => {
  const { base_url } = gateway();
  const client = await newClient({ name: 'Discovery' });
  const token = await tokenOf(client.clientId, client.clientSecret);
  const { status, body } = await call('GET', `/.well-known/${name}`);
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      issuer: base_url,
      token_endpoint: `${base_url}/api/v1/auth/token`,
      jwks_uri: `${base_url}/.well-known/jwks.json`,
      response_types_supported: [],
      audience: expect.stringMatching(/\/api$/),
    }),
  ]);
  const keys = createRemoteJWKSet(new URL(String(body.jwks_uri)), {
    timeoutDuration: timeLimitMs,
    [customFetch]: (url, { headers, method, redirect, signal }) =>
      admitted(
        () => fetch(url, { headers, method, redirect, signal }),
        (response) => response.headers.get('retry-after'),
      ),
  });
  const { payload } = await jwtVerify(token, keys, {
    issuer: String(body.issuer),
    audience: String(body.audience),
    typ: 'at+jwt',
    algorithms: ['ES256'],
  });
  expect(payload).toMatchObject({ sub: client.clientId, client_id: client.clientId, scope: 'messages' });
});

it('shows only public keys, which a cache may keep', async () => {
  const { headers, body } = await call('GET', '/.well-known/jwks.json');
  expect((body.keys as object[]).length).toBeGreaterThan(0);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  for (const key of body.keys as object[]) {
    expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  }
});

it('has no other well-known document', async () => {
  expect((await call('GET', '/.well-known/security.txt')).status).toBe(404);
});
