/** What an administrator changes of a client, how the activity log tells of it, and what the console may leave behind. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentClient, eventually, gateway } from '../../support/gateway/gateway.ts';
import { call, tokenOf } from '../../support/http/client.ts';
import type { CallResponse } from '../../support/http/http-call.ts';

let admin: string;
let adminId: string;
let clientId: string;

const asAdmin = (method: string, path: string, body?: unknown): Promise<CallResponse> =>
  call(method, path, { credential: admin, ...(body === undefined ? {} : { body }) });

async function activityOf(id: string): Promise<Record<string, unknown>[]> {
  const { body } = await asAdmin('GET', `/admin/api/activity?client_id=${id}&limit=100`);
  return body.entries as Record<string, unknown>[];
}

beforeAll(async () => {
  const { client_id, client_secret } = gateway().admin;
  adminId = client_id;
  admin = await tokenOf(client_id, client_secret);
  const { body } = await asAdmin('POST', '/admin/api/clients', { name: 'Shop' });
  clientId = String(body.client_id);
});

describe('the countries and senders of a client', () => {
  it('are set, changed one without the other, and removed', async () => {
    const { body } = await asAdmin('POST', '/admin/api/clients', { name: 'Of two countries' });
    const path = `/admin/api/clients/${String(body.client_id)}`;
    const change = async (wanted: object) => (await asAdmin('PATCH', path, wanted)).body;
    expect(await change({ countries: ['gb', 'FR', 'GB'], senders: ['ACME', '+447700900123'] })).toMatchObject(
      {
        countries: ['GB', 'FR'],
        senders: ['ACME', '+447700900123'],
      },
    );
    expect(await change({ countries: ['DE'] })).toMatchObject({
      countries: ['DE'],
      senders: ['ACME', '+447700900123'],
    });
    expect(await change({ senders: null })).toMatchObject({ countries: ['DE'], senders: null });
    expect(await change({ countries: null })).toMatchObject({ countries: null, senders: null });
  });

  it.each([
    [{ countries: ['GB', 'Gaul'], senders: ['no sender of mine'] }, ['countries[1]', 'senders[0]']],
    [{ countries: [], senders: [] }, ['countries', 'senders']],
    [{ countries: 'GB', senders: [7] }, ['countries', 'senders[0]']],
  ])('are left alone by %j, with every fault named', async (wanted, fields) => {
    const path = `/admin/api/clients/${clientId}`;
    const { status, body } = await asAdmin('PATCH', path, wanted);
    expect([status, (body.details as { field: string }[]).map(({ field }) => field)]).toEqual([400, fields]);
    expect((await asAdmin('GET', path)).body).toMatchObject({ countries: null, senders: null });
  });
});

describe('a change', () => {
  it('is noted with who did it, and how it was before and after', async () => {
    const { body } = await asAdmin('POST', '/admin/api/clients', { name: 'Noted' });
    const id = String(body.client_id);
    const path = `/admin/api/clients/${id}`;
    await asAdmin('PATCH', path, { disabled: true });
    await asAdmin('PATCH', path, { webhook_url: 'https://shop.test/hook' });
    await asAdmin('PATCH', path, { countries: ['GB'], senders: ['ACME'] });
    await asAdmin('PATCH', path, { countries: null });
    await asAdmin('POST', `${path}/secret`, {});
    await asAdmin('POST', `${path}/webhook-secret`, {});
    const { body: key } = await asAdmin('POST', `${path}/api-keys`, {});
    await asAdmin('DELETE', `${path}/api-keys/${String(key.key_id)}`);
    await asAdmin('PATCH', `${path}/limits`, { endpoint: 'POST /api/v1/sms/send', per_minute: 120 });
    await asAdmin('POST', `${path}/limits/remove`, { endpoint: 'POST /api/v1/sms/send' });

    // The entries of limits come from the table's stream, a moment later.
    const entries = await eventually(async () => {
      const found = await activityOf(id);
      return found.length >= 11 ? found : undefined;
    });
    expect(entries.map(({ kind }) => kind)).toEqual([
      'limits_removed',
      'limits_set',
      'api_key_revoked',
      'api_key_created',
      'webhook_secret_rotated',
      'client_secret_rotated',
      'permissions_changed',
      'permissions_changed',
      'webhook_url_changed',
      'client_disabled',
      'client_created',
    ]);
    expect(entries.every(({ actor }) => actor === adminId)).toBe(true);
    expect(entries[9]).toMatchObject({ before: { disabled: false }, after: { disabled: true } });
    expect(entries[6]).toMatchObject({
      before: { countries: ['GB'], senders: ['ACME'] },
      after: { countries: null, senders: ['ACME'] },
    });
    expect(entries[8]).toMatchObject({
      before: { webhook_url: null },
      after: { webhook_url: 'https://shop.test/hook' },
    });
    expect(JSON.stringify(entries)).not.toMatch(/cs_|whsec_|sk-|[0-9a-f]{64}/);
  });
});

describe('a row of limits that a person typed', () => {
  it('is shown with what is wrong in it, also where its endpoint does not exist, and can be removed', async () => {
    const dynamo = documentClient();
    const client_id = clientId;
    const TableName = gateway().tables.limit_overrides;
    const rows = [
      { client_id, endpoint: 'POST /api/v1/otp/send', per_minute: 'many', per_hour: '900', per_day: -1 },
      { client_id, endpoint: 'POST /api/v1/otp/snd', per_minute: 5 },
    ];
    for (const Item of rows) await dynamo.send(new PutCommand({ TableName, Item }));
    dynamo.destroy();
    const path = `/admin/api/clients/${client_id}/limits`;
    const { body } = await asAdmin('GET', path);
    const limits = body.limits as { endpoint: string; faults: { field: string; value: string }[] }[];
    expect(limits.find(({ endpoint }) => endpoint === 'POST /api/v1/otp/send')).toMatchObject({
      defaults: { per_minute: 30, per_hour: 500, per_day: 5000 },
      override: { per_hour: 900 },
      in_force: { per_minute: 30, per_hour: 900, per_day: 5000 },
      faults: [
        { field: 'per_minute', value: 'many' },
        { field: 'per_day', value: '-1' },
      ],
    });
    const typo = 'POST /api/v1/otp/snd';
    expect(limits.find(({ endpoint }) => endpoint === typo)?.faults).toMatchObject([{ field: 'endpoint' }]);
    const { status, text } = await asAdmin('POST', `${path}/remove`, { endpoint: typo });
    expect(status).toBe(200);
    expect(text).not.toContain(typo);
    // The table is the deployed gateway's: nothing broken stays in it.
    const rest = await asAdmin('POST', `${path}/remove`, { endpoint: 'POST /api/v1/otp/send' });
    expect(rest.body.limits).not.toContainEqual(
      expect.objectContaining({ faults: [expect.anything(), expect.anything()] }),
    );
  });
});
