import { type DynamoDBDocumentClient, GetCommand, type PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { hasSecret, isLive, secretHash } from '../../../shared/client/client.ts';
import {
  createApiKey,
  createClient,
  endPreviousSecret,
  revokeApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
  setClientDisabled,
} from '../../../shared/client/client-admin.ts';
import {
  apiKeysOf,
  clientsPage,
  findApiKey,
  findClient,
  storeClient,
  storePermissions,
  storeWebhookUrl,
} from '../../../shared/client/client-store.dynamo.ts';
import { readWebhookSecrets, signingSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
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
    const client = await findClient(access.admin, clientId);
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
    expect(await apiKeysOf(access.admin, client.client_id)).toEqual([]);
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
    expect(await readWebhookSecrets(access.admin, client.client_id)).toMatchObject([
      { secret: webhookSecret },
    ]);
  });

  it('a secret is valid for 24 h after its rotation, also where another rotation is asked for: that is refused', async () => {
    const { client, clientSecret: first } = await newClient();
    const second = await rotateClientSecret(access.admin, client.client_id, now);
    const early = rotateClientSecret(access.admin, client.client_id, addSeconds(now, hourSeconds));
    await expect(early).rejects.toMatchObject({
      code: 'secret_limit_reached',
      message: expect.stringContaining('2026-11-21T12:00:00.000Z'),
    });
    const third = await rotateClientSecret(access.admin, client.client_id, addSeconds(now, 24 * hourSeconds));
    const row = await find(client.client_id);
    expect(row.secrets).toHaveLength(2);
    const holds = (secret: string, hours: number): boolean =>
      hasSecret(row, secret, addSeconds(now, hours * hourSeconds));
    expect([holds(first, 24), holds(second, 24), holds(third, 24)]).toEqual([false, true, true]);
    expect([holds(second, 47.9), holds(second, 48), holds(third, 1000)]).toEqual([true, false, true]);
  });

  it('the secret before the newest is ended at once where an administrator asks for it, and then another is made', async () => {
    const { client, clientSecret: leaked } = await newClient();
    const second = await rotateClientSecret(access.admin, client.client_id, now);
    await endPreviousSecret(access.admin, client.client_id);
    await endPreviousSecret(access.admin, client.client_id);
    const third = await rotateClientSecret(access.admin, client.client_id, now);
    const row = await find(client.client_id);
    expect([leaked, second, third].map((secret) => hasSecret(row, secret, now))).toEqual([false, true, true]);
  });

  it('a secret stays valid for the overlap of its rotation; without one only the new secret is, whatever was promised', async () => {
    const { client, clientSecret: first } = await newClient();
    const second = await rotateClientSecret(access.admin, client.client_id, now, 1);
    const holds = async (secret: string, hours: number): Promise<boolean> =>
      hasSecret(await find(client.client_id), secret, addSeconds(now, hours * hourSeconds));
    expect([await holds(first, 0.9), await holds(first, 1)]).toEqual([true, false]);
    const third = await rotateClientSecret(access.admin, client.client_id, now, 0);
    expect([await holds(first, 0), await holds(second, 0), await holds(third, 0)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('of rotations at the same moment one gives a secret, and the others are refused', async () => {
    const { client, clientSecret } = await newClient();
    const settled = await Promise.allSettled(
      Array.from({ length: 6 }, () => rotateClientSecret(access.admin, client.client_id, now)),
    );
    const row = await find(client.client_id);
    const given = settled.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    expect(given).toHaveLength(1);
    for (const secret of [clientSecret, ...given]) expect(hasSecret(row, secret, now)).toBe(true);
    const refusals = settled.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'secret_limit_reached' });
  });

  it('a client and an API key are made where the responses of the writes were lost and the writes repeated', async () => {
    // The SDK repeats a call whose response it has not got.
    const send = async (command: PutCommand) => {
      if (!(command instanceof GetCommand)) await tables.dynamo.send(command);
      return tables.dynamo.send(command);
    };
    const twice = Object.create(tables.dynamo, { send: { value: send } }) as DynamoDBDocumentClient;
    const admin = dynamoClientAdmin(twice, tables.names);
    const made = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
    const { apiKey, row } = await createApiKey(admin, made.client.client_id, now);
    expect(hasSecret(await find(made.client.client_id), made.clientSecret, now)).toBe(true);
    expect(await readWebhookSecrets(access.admin, made.client.client_id)).toMatchObject([
      { secret: made.webhookSecret },
    ]);
    expect(await apiKeysOf(access.admin, made.client.client_id)).toEqual([row]);
    expect(row.key_hash).toBe(secretHash(apiKey));
  });

  it('a client does not take the id of another', async () => {
    const { client } = await newClient();
    const other = { ...client, secrets: [{ hash: secretHash('x'), created_at: now.toISOString() }] };
    await expect(storeClient(access.admin, other)).rejects.toThrow('taken');
    expect(await find(client.client_id)).toEqual(client);
  });

  it('a rotated webhook secret stays valid for 24 h, in addition to the new one', async () => {
    const { client, webhookSecret } = await newClient();
    const fresh = await rotateWebhookSecret(access.admin, client.client_id, () => now);
    expect(fresh.active_at).toBe(addSeconds(now, 60).toISOString());
    const secrets = await readWebhookSecrets(access.admin, client.client_id);
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

  it('two webhook secrets sign until the older one ends; a rotation meanwhile is refused, unless it has no overlap', async () => {
    const { client, webhookSecret } = await newClient();
    const rotateAt = (seconds: number, overlapHours?: number) =>
      rotateWebhookSecret(access.admin, client.client_id, () => addSeconds(now, seconds), overlapHours);
    const second = await rotateAt(0);
    await expect(rotateAt(23 * hourSeconds)).rejects.toMatchObject({
      code: 'secret_limit_reached',
      message: expect.stringContaining('2026-11-21T12:01:00.000Z'),
    });
    const third = await rotateAt(hourSeconds, 0);
    const secrets = await readWebhookSecrets(access.admin, client.client_id);
    const signingAt = (seconds: number) =>
      signingSecrets(secrets, addSeconds(now, seconds)).map(({ secret }) => secret);
    expect(signingAt(hourSeconds + 59)).toEqual([second.secret, webhookSecret]);
    expect(signingAt(hourSeconds + 60)).toEqual([third.secret]);
    expect((await rotateAt(hourSeconds + 60)).previous_expires_at).toBe(
      addSeconds(now, 120 + 25 * hourSeconds).toISOString(),
    );
  });

  it('of rotations of a webhook secret at the same moment each gives one that signs, or is refused', async () => {
    const { client, webhookSecret } = await newClient();
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, () => rotateWebhookSecret(access.admin, client.client_id, () => now)),
    );
    const given = settled.flatMap((end) => (end.status === 'fulfilled' ? [end.value.secret] : []));
    const secrets = await readWebhookSecrets(access.admin, client.client_id);
    const known = secrets.map(({ secret }) => secret).toSorted();
    expect(known).toEqual([webhookSecret, ...given].toSorted());
    expect(given).toHaveLength(1);
    const refusals = settled.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'secret_limit_reached' });
  });

  it('a webhook secret is made once where the response of its write was lost and the write repeated', async () => {
    const { client, webhookSecret } = await newClient();
    const parts = withCalls(access.admin, async ({ operation }, run) => {
      const first = await run();
      return operation === 'Update' ? run() : first;
    });
    const fresh = await rotateWebhookSecret(parts, client.client_id, () => now);
    const secrets = await readWebhookSecrets(access.admin, client.client_id);
    expect(secrets.map(({ secret }) => secret)).toEqual([fresh.secret, webhookSecret]);
  });

  it('an API key is found by its hash, listed without it, and revoked once and for all', async () => {
    const { client } = await newClient();
    const { apiKey, row } = await createApiKey(access.admin, client.client_id, now);
    const other = await createApiKey(access.admin, client.client_id, addSeconds(now, 1));
    expect(apiKey).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
    expect(await findApiKey(access.admin, secretHash(apiKey))).toEqual(row);
    const listed = await apiKeysOf(access.admin, client.client_id);
    expect(listed.map(({ key_id }) => key_id)).toEqual([other.row.key_id, row.key_id]);
    await revokeApiKey(access.admin, client.client_id, row.key_id, now);
    await revokeApiKey(access.admin, client.client_id, row.key_id, addSeconds(now, 60));
    expect(await findApiKey(access.admin, row.key_hash)).toMatchObject({ revoked_at: now.toISOString() });
    expect(await findApiKey(access.admin, other.row.key_hash)).not.toHaveProperty('revoked_at');
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
    expect(await findClient(access.admin, unknown)).toBeUndefined();
    expect(await readWebhookSecrets(access.admin, unknown)).toEqual([]);
  });

  it('a webhook address is set and removed', async () => {
    const { client } = await newClient();
    expect(await storeWebhookUrl(access.admin, client.client_id, 'https://a.test')).toBe(true);
    expect((await find(client.client_id)).webhook_url).toBe('https://a.test');
    await storeWebhookUrl(access.admin, client.client_id, undefined);
    expect(await find(client.client_id)).not.toHaveProperty('webhook_url');
    expect(await storeWebhookUrl(access.admin, 'client_unknown', 'https://a.test')).toBe(false);
    expect(await storePermissions(access.admin, 'client_unknown', { countries: ['GB'] })).toBe(false);
  });

  it('all clients are listed, page by page, each once', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => newClient()));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await clientsPage(access.admin, { limit: 2, after });
      seen.push(...page.clients.map((client) => client.client_id));
      after = page.next;
    } while (after !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(created.map(({ client }) => client.client_id)));
  });
});
