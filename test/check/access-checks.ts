/** Tokens, API keys, and what is refused without them. */
import assert from 'node:assert/strict';
import type { Api } from './api.ts';
import { assertRefused, type Check } from './check.ts';

const tokenPath = '/api/v1/auth/token';
const accountPath = '/api/v1/account';
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const grant = { grant_type: 'client_credentials' };

function credentials({ target }: Api) {
  return { client_id: target.clientId, client_secret: target.clientSecret };
}

function basic({ target }: Api): string {
  const pair = `${encodeURIComponent(target.clientId)}:${encodeURIComponent(target.clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

const bearer = (credential: string) =>
  ({ as: 'nobody', headers: { Authorization: `Bearer ${credential}` } }) as const;

/** Every operation that asks for a credential, with a path that could be. */
function guarded(api: Api): { method: string; path: string }[] {
  return Object.entries(api.document.document.paths).flatMap(([template, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: template.replaceAll(/\{\w+\}/g, 'msg_00000000000000000000000000'),
      })),
  );
}

export const accessChecks: readonly Check[] = [
  {
    name: 'a token is given for credentials in a JSON body, and is not to be stored',
    async run(api) {
      const response = await api.call('POST', tokenPath, {
        as: 'nobody',
        body: { ...credentials(api), ...grant },
      });
      assert.equal(response.status, 200);
      assert.equal(response.body.expires_in, 3600);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    },
  },
  {
    name: 'a token is given for a form, and for HTTP Basic',
    async run(api) {
      const body = new URLSearchParams({ ...credentials(api), ...grant }).toString();
      assert.equal((await api.call('POST', tokenPath, { as: 'nobody', headers: form, body })).status, 200);
      const response = await api.call('POST', tokenPath, {
        as: 'nobody',
        headers: { ...form, Authorization: basic(api) },
        body: new URLSearchParams(grant).toString(),
      });
      assert.equal(response.status, 200);
    },
  },
  {
    name: 'a token is given for credentials in the body, whatever old token the header still holds',
    async run(api) {
      const headers = { Authorization: 'Bearer a-token-that-ran-out' };
      const body = { ...credentials(api), ...grant };
      assert.equal((await api.call('POST', tokenPath, { as: 'nobody', headers, body })).status, 200);
    },
  },
  {
    name: 'a wrong secret and an unknown client are refused alike, also in the words of RFC 6749',
    async run(api) {
      for (const wrong of [{ client_secret: 'wrong' }, { client_id: 'nobody' }]) {
        const body = { ...credentials(api), ...grant, ...wrong };
        const response = await api.call('POST', tokenPath, { as: 'nobody', body });
        assertRefused(response, 401, 'invalid_client');
        assert.equal(response.body.error_description, response.body.message);
        assert.ok(response.headers.get('www-authenticate'));
      }
    },
  },
  {
    name: 'another grant type is refused by its own code; all missing fields are named at once',
    async run(api) {
      const body = { ...credentials(api), grant_type: 'password' };
      const other = await api.call('POST', tokenPath, { as: 'nobody', body });
      assertRefused(other, 400, 'unsupported_grant_type');
      const none = await api.call('POST', tokenPath, { as: 'nobody', body: {} });
      assertRefused(none, 400, 'invalid_request', ['client_id', 'client_secret', 'grant_type']);
    },
  },
  {
    name: 'every operation that needs a credential refuses a request without one',
    async run(api) {
      for (const { method, path } of guarded(api)) {
        const response = await api.call(method, path, { as: 'nobody' });
        assertRefused(response, 401, 'unauthorized');
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
      }
    },
  },
  {
    name: 'altered, unsigned and foreign tokens, other schemes and unknown keys are refused',
    async run(api) {
      const token = await api.accessToken();
      const [header = '', payload = '', signature = ''] = token.split('.');
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      const forged = [
        `${header}.${encode({ ...claims, exp: claims.exp + 1 })}.${signature}`,
        `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
        `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${payload}.${signature}`,
        'not-a-token',
        `sk-${'A'.repeat(43)}`,
      ];
      for (const credential of forged) {
        assertRefused(await api.call('GET', accountPath, bearer(credential)), 401, 'unauthorized');
      }
      const scheme = await api.call('GET', accountPath, {
        as: 'nobody',
        headers: { Authorization: basic(api) },
      });
      assertRefused(scheme, 401, 'unauthorized');
    },
  },
  {
    name: 'the name of the scheme is taken in any case, and an API key in the place of a token',
    async run(api) {
      const headers = { Authorization: `bEaReR ${await api.accessToken()}` };
      assert.equal((await api.call('GET', accountPath, { as: 'nobody', headers })).status, 200);
      if (api.target.apiKey === undefined) return;
      assert.equal((await api.call('GET', accountPath, bearer(api.target.apiKey))).status, 200);
    },
  },
];
