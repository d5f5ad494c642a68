/** Rotates a client's secret and an API key by docs/rotate-and-restore.md: no request is refused meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { call, newClient, requestToken, tokenOf } from '../support/http/client.ts';

/** What is remembered of a client or a key is at most 45 s old (contract 3.2: 60 s). */
const forgotten = { withinSeconds: 60, everyMilliseconds: 2000 };

let shell: AdminShell;
beforeAll(() => {
  shell = adminShell();
});
afterAll(() => shell.close());

const accountStatus = async (credential: string): Promise<number> =>
  (await call('GET', '/api/v1/account', { credential })).status;

describe('the rotation of a client secret', () => {
  it('gives a token for the old one and for the new one, until the old one is ended; after a leak for the new one only', async () => {
    const client = await newClient();
    const token = await tokenOf(client.clientId, client.clientSecret);
    const { client_secret: second } = await shell.json('call', 'rotateClientSecret', client.clientId);
    expect(second).not.toBe(client.clientSecret);
    for (const secret of [client.clientSecret, String(second)])
      expect((await requestToken(client.clientId, secret)).status).toBe(200);

    // The old one was promised to be valid for 24 h.
    await expect(shell.json('call', 'rotateClientSecret', client.clientId)).rejects.toThrow(
      /two active secrets.*overlap_hours 0/,
    );
    await shell.json('call', 'endPreviousSecret', client.clientId);
    const { client_secret: third } = await shell.json('call', 'rotateClientSecret', client.clientId);
    for (const secret of [String(second), String(third)])
      expect((await requestToken(client.clientId, secret)).status).toBe(200);
    const refused = await eventually(async () => {
      const response = await requestToken(client.clientId, client.clientSecret);
      return response.status === 401 ? response : undefined;
    }, forgotten);
    expect(refused.body.error).toBe('invalid_client');
    const leaked = [String(second), String(third)];
    const { client_secret: only } = await shell.json(
      'call',
      'rotateClientSecret',
      client.clientId,
      '--overlap-hours',
      '0',
    );
    expect((await requestToken(client.clientId, String(only))).status).toBe(200);
    for (const secret of leaked)
      await eventually(
        async () => (await requestToken(client.clientId, secret)).status === 401 || undefined,
        forgotten,
      );
    // A token that was issued under a secret holds for its hour, whatever becomes of the secret.
    expect(await accountStatus(token)).toBe(200);
  });
});

describe('the rotation of an API key', () => {
  it('lets both in, until the old one is revoked: it is refused within 60 s, and the new one never', async () => {
    const { clientId } = await newClient();
    const old = await shell.json('api-keys', 'create', clientId);
    expect(await accountStatus(String(old.api_key))).toBe(200);
    const fresh = await shell.json('api-keys', 'create', clientId);
    for (const { api_key } of [old, fresh]) expect(await accountStatus(String(api_key))).toBe(200);

    await shell.json('api-keys', 'revoke', clientId, String(old.key_id));
    await eventually(async () => {
      expect(await accountStatus(String(fresh.api_key))).toBe(200);
      return (await accountStatus(String(old.api_key))) === 401 ? true : undefined;
    }, forgotten);
  });
});
