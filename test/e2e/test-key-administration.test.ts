/** What administrators do with test keys and the data of them, in the shell and by the admin API (contract, section 17). */
import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { adminShell } from '../support/admin/admin-shell.ts';
import { adminToken, call, newClient, tokenOf, withTestKey } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

describe('the admin API', () => {
  it('has no settings of its own: an administrator changes those of the client', async () => {
    const live = await newClient();
    const test = await withTestKey(live);
    const credential = await adminToken();
    const changes = [
      [`/admin/api/clients/${test.clientId}`, { disabled: true }],
      [`/admin/api/clients/${test.clientId}`, { countries: ['FR'] }],
      [`/admin/api/clients/${test.clientId}`, { webhook_url: 'https://shop.example/test' }],
      [`/admin/api/clients/${test.clientId}/limits`, { endpoint: 'POST /api/v1/otp/send', per_minute: 7 }],
      [
        '/admin/api/senders',
        { client_id: test.clientId, channel: 'sms', country: 'GB', identity: '+447700900987' },
      ],
    ] as const;
    for (const [path, body] of changes) {
      expectRefusal(await call('PATCH', path, { credential, body }), 400, 'invalid_request');
    }
    const own = { credential, body: { endpoint: 'POST /api/v1/sms/send', per_minute: 500 } };
    await call('PATCH', `/admin/api/clients/${live.clientId}/limits`, own);
    const shown = await call('GET', `/admin/api/clients/${test.clientId}/limits`, { credential });
    const sends = (shown.body.limits as { endpoint: string }[]).find(
      ({ endpoint }) => endpoint === own.body.endpoint,
    );
    expect(JSON.stringify(sends)).toContain('500');
    expect((await live.post('/api/v1/sms/send', { to: '+447700900123', message: 'x' })).status).toBe(202);
  });

  it('makes test keys and secrets with "test": true, and lists test data only where that is asked for', async () => {
    const live = await newClient({ name: `Shop ${Date.now()}` });
    const credential = await adminToken();
    const path = `/admin/api/clients/${live.clientId}`;
    const make = async (what: string) =>
      (await call('POST', `${path}/${what}`, { credential, body: { test: true } })).body;
    const key = await make('api-keys');
    expect(key).toMatchObject({
      api_key: expect.stringMatching(/^sk-test-/),
      client_id: `${live.clientId}-test`,
    });
    const account = await call('GET', '/api/v1/account', { credential: String(key.api_key) });
    expect(account.body).toMatchObject({ mode: 'test' });
    expect((await make('secret')).client_secret).toMatch(/^cs_test_/);
    expect(await make('webhook-secret')).toMatchObject({ client_id: `${live.clientId}-test` });
    const plain = await call('POST', `${path}/api-keys`, { credential });
    expect(plain.body.api_key).not.toMatch(/^sk-test-/);
    const wrong = await call('POST', `${path}/api-keys`, { credential, body: { test: 'yes' } });
    expectRefusal(wrong, 400, 'invalid_request', ['test']);

    const listed = async (mode: string) => {
      const headers = { 'Data-Mode': mode };
      const { body } = await call('GET', '/admin/api/clients?limit=100&sort=created_at&descending=true', {
        credential,
        headers,
      });
      return (body.clients as { client_id: string }[]).map(({ client_id }) => client_id);
    };
    expect(await listed('test')).toContain(`${live.clientId}-test`);
    expect(await listed('live')).not.toContain(`${live.clientId}-test`);
    const other = await call('GET', '/admin/api/clients', { credential, headers: { 'Data-Mode': 'tests' } });
    expectRefusal(other, 400, 'invalid_request');
    const headers = { 'Data-Mode': 'test' };
    const outbox = await call('GET', '/admin/api/outbox', { credential, headers });
    expectRefusal(outbox, 400, 'invalid_request', ['client_id']);
  });
});

describe('the shell', () => {
  it('makes, lists and revokes test keys and secrets with --test, and knows the test data by its name', async () => {
    const shell = adminShell();
    try {
      const live = await newClient({ name: `Shop ${Date.now()}` });
      const made = await shell.json('call', 'createApiKey', live.clientId, '--test');
      expect(made.api_key).toMatch(/^sk-test-/);
      const account = await call('GET', '/api/v1/account', { credential: String(made.api_key) });
      expect(account.body).toMatchObject({ mode: 'test', client_id: `${live.clientId}-test` });
      const listed = await shell.json('call', 'showClient', String(account.body.name));
      expect(listed.api_keys).toMatchObject([{ key_id: made.key_id }]);
      const rotated = await shell.json('call', 'rotateClientSecret', live.clientId, '--test');
      expect(decodeJwt(await tokenOf(live.clientId, String(rotated.client_secret)))).toMatchObject({
        test: true,
      });
      await shell.json('call', 'revokeApiKey', live.clientId, String(made.key_id), '--test');
      expect((await shell.json('call', 'showClient', live.clientId, '--test')).api_keys).toMatchObject([
        { revoked_at: expect.any(String) },
      ]);
    } finally {
      shell.close();
    }
  });
});
