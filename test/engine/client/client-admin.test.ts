import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasSecret, isLive } from '../../../shared/client/client.ts';
import {
  createApiKey,
  createClient,
  type RotatedWebhookSecret,
  revokeApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
  setClientDisabled,
} from '../../../shared/client/client-admin.ts';
import { secretHash } from '../../../shared/client/secret-text.ts';
import type { WebhookSecret } from '../../../shared/client/webhook-secrets.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';
import { type Access, accessTo } from '../../support/gateway/access.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const hourSeconds = 3600;

describe('administering clients', () => {
  let tables: TestTables;
  let access: Access;

  beforeAll(async () => {
    tables = await createTables();
    access = accessTo(tables, now);
  });
  afterAll(async () => {
    await tables.drop();
  });

  const newClient = (webhookUrl?: string) =>
    createClient(
      access.admin,
      { name: 'Shop', scopes: ['messages'], ...(webhookUrl === undefined ? {} : { webhookUrl }) },
      now,
    );
  const find = async (clientId: string) => {
    const client = await access.admin.clients.find(clientId);
    if (client === undefined) throw new Error('no such client');
    return client;
  };

  it('an API key is not made for a client that only administers: it would never expire', async () => {
    const wanted = { name: 'Admin', scopes: ['admin'] } as const;
    const { client } = await createClient(access.admin, wanted, now);
    await expect(createApiKey(access.admin, client.client_id, now)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('client secret'),
    });
    expect(await access.admin.apiKeys.listOf(client.client_id)).toEqual([]);
  });

  it('a new client has secrets of 256 bits, of which its row holds only a hash', async () => {
    const { client, clientSecret, webhookSecret } = await newClient('https://shop.test/hook');
    expect(client.client_id).toMatch(/^client_[0-9a-z]{16}$/);
    expect(clientSecret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(webhookSecret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const row = await find(client.client_id);
    expect(row).toEqual(client);
    expect(row).toMatchObject({ disabled: false, webhook_url: 'https://shop.test/hook' });
    expect(JSON.stringify(row)).not.toContain(clientSecret.slice(3));
    expect(hasSecret(row, clientSecret, now)).toBe(true);
    expect(hasSecret(row, `${clientSecret}x`, now)).toBe(false);
    expect(await access.admin.webhookSecrets.find(client.client_id)).toMatchObject([
      { secret: webhookSecret },
    ]);
  });

  it('after any number of rotations at most two secrets hold, the one before for at most 24 h', async () => {
    const { client, clientSecret: first } = await newClient();
    const second = await rotateClientSecret(access.admin, client.client_id, now);
    const third = await rotateClientSecret(access.admin, client.client_id, addSeconds(now, hourSeconds));
    const row = await find(client.client_id);
    expect(row.secrets).toHaveLength(2);
    const holds = (secret: string, hours: number): boolean =>
      hasSecret(row, secret, addSeconds(now, hours * hourSeconds));
    expect([holds(first, 2), holds(second, 2), holds(third, 2)]).toEqual([false, true, true]);
    expect([holds(second, 24.9), holds(second, 25), holds(third, 1000)]).toEqual([true, false, true]);
  });

  it('rotations at the same moment each give a secret, and the last ones hold', async () => {
    const { client } = await newClient();
    const secrets = await Promise.all(
      [1, 2].map(() => rotateClientSecret(access.admin, client.client_id, now)),
    );
    const row = await find(client.client_id);
    expect(secrets.map((secret) => hasSecret(row, secret, now))).toEqual([true, true]);
  });

  it('a webhook secret that is rotated stays beside the new one for 24 h', async () => {
    const { client, webhookSecret } = await newClient();
    const fresh = await rotateWebhookSecret(access.admin, client.client_id, () => now);
    expect(fresh.active_at).toBe(addSeconds(now, 60).toISOString());
    const secrets = await access.admin.webhookSecrets.find(client.client_id);
    expect(secrets).toMatchObject([
      { secret: fresh.secret, active_at: fresh.active_at },
      { secret: webhookSecret, active_at: now.toISOString(), expires_at: fresh.previous_expires_at },
    ]);
    const live = (hours: number) =>
      secrets.map((secret) => isLive(secret, addSeconds(now, 60 + hours * hourSeconds)));
    expect([live(23.9), live(24)]).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('a webhook secret signs for the 24 h that were promised, however often it is rotated meanwhile', async () => {
    const { client, webhookSecret } = await newClient();
    const rotated: RotatedWebhookSecret[] = [];
    for (const hours of [0, 1, 2, 3, 4, 5, 6]) {
      rotated.unshift(
        await rotateWebhookSecret(access.admin, client.client_id, () => addSeconds(now, hours * hourSeconds)),
      );
    }
    const secrets = await access.admin.webhookSecrets.find(client.client_id);
    expect(secrets.map(({ secret }) => secret)).toEqual([
      ...rotated.slice(0, 4).map(({ secret }) => secret),
      webhookSecret,
    ]);
    expect(secrets.at(-1)?.expires_at).toBe(addSeconds(now, 60 + 24 * hourSeconds).toISOString());
  });

  it('a webhook secret is made once where the response of its write was lost and the write repeated', async () => {
    const { client, webhookSecret } = await newClient();
    const { webhookSecrets } = access.admin;
    const repeated = {
      ...webhookSecrets,
      replace: async (...change: Parameters<typeof webhookSecrets.replace>) => {
        await webhookSecrets.replace(...change);
        return webhookSecrets.replace(...change);
      },
    };
    const parts = { ...access.admin, webhookSecrets: repeated };
    const fresh = await rotateWebhookSecret(parts, client.client_id, () => now);
    const secrets = await webhookSecrets.find(client.client_id);
    expect(secrets.map(({ secret }) => secret)).toEqual([fresh.secret, webhookSecret]);
  });

  it('a webhook secret is rotated in a row to which another version has added something', async () => {
    const { client } = await newClient();
    const { webhookSecrets } = access.admin;
    const [first] = await webhookSecrets.find(client.client_id);
    const extended = { ...(first as WebhookSecret), from_a_later_version: true };
    await webhookSecrets.replace(client.client_id, first === undefined ? [] : [first], [extended]);
    await rotateWebhookSecret(access.admin, client.client_id, () => now);
    const [, kept] = await webhookSecrets.find(client.client_id);
    expect(kept).toMatchObject({ from_a_later_version: true });
  });

  it('an API key is found by its hash, listed without it, and revoked once and for all', async () => {
    const { client } = await newClient();
    const { apiKey, row } = await createApiKey(access.admin, client.client_id, now);
    const other = await createApiKey(access.admin, client.client_id, addSeconds(now, 1));
    expect(apiKey).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
    expect(await access.admin.apiKeys.find(secretHash(apiKey))).toEqual(row);
    const listed = await access.admin.apiKeys.listOf(client.client_id);
    expect(listed.map(({ key_id }) => key_id)).toEqual([other.row.key_id, row.key_id]);
    await revokeApiKey(access.admin, client.client_id, row.key_id, now);
    await revokeApiKey(access.admin, client.client_id, row.key_id, addSeconds(now, 60));
    expect(await access.admin.apiKeys.find(row.key_hash)).toMatchObject({ revoked_at: now.toISOString() });
    expect(await access.admin.apiKeys.find(other.row.key_hash)).not.toHaveProperty('revoked_at');
  });

  it("another client's API key can't be revoked", async () => {
    const [owner, other] = [await newClient(), await newClient()];
    const { row } = await createApiKey(access.admin, owner.client.client_id, now);
    const revoke = revokeApiKey(access.admin, other.client.client_id, row.key_id, now);
    await expect(revoke).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a change to a client that does not exist creates none', async () => {
    const unknown = 'client_unknown';
    for (const change of [
      setClientDisabled(access.admin, unknown, true),
      rotateClientSecret(access.admin, unknown, now),
      rotateWebhookSecret(access.admin, unknown, () => now),
      createApiKey(access.admin, unknown, now),
    ]) {
      await expect(change).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await access.admin.clients.find(unknown)).toBeUndefined();
    expect(await access.admin.webhookSecrets.find(unknown)).toEqual([]);
  });

  it('a webhook address is set and removed', async () => {
    const { client } = await newClient();
    expect(await access.admin.clients.setWebhookUrl(client.client_id, 'https://a.test')).toBe(true);
    expect((await find(client.client_id)).webhook_url).toBe('https://a.test');
    await access.admin.clients.setWebhookUrl(client.client_id, undefined);
    expect(await find(client.client_id)).not.toHaveProperty('webhook_url');
    expect(await access.admin.clients.setWebhookUrl('client_unknown', 'https://a.test')).toBe(false);
    expect(await access.admin.clients.setPermissions('client_unknown', { countries: ['GB'] })).toBe(false);
  });

  it('all clients are listed, page by page, each once', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => newClient()));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await access.admin.clients.list({ limit: 2, after });
      seen.push(...page.clients.map((client) => client.client_id));
      after = page.next;
    } while (after !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(created.map(({ client }) => client.client_id)));
  });
});
