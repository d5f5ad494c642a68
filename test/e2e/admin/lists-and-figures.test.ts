/** What an administrator reads: the activity log page by page, messages and their history. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/write-activity.dynamo.ts';
import { as, type Shop, startShop } from '../../support/admin/shop.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { adminToken } from '../../support/http/client.ts';

/** No other test uses this number: the first page of a search would not have all messages to a number that many use. */
const person = freshNumber();

let admin: string;
let messageId: string;
let webhookEndpoint: Shop['webhookEndpoint'];

beforeAll(async () => {
  admin = await adminToken();
  ({ messageId, webhookEndpoint } = await startShop(admin, person));
});
afterAll(() => webhookEndpoint.close());

describe('a filter by client', () => {
  const get = (path: string) => as(admin, 'GET', `/admin/api${path}`);

  it.each(['/activity?', '/activity?kind=webhook_failed&', '/messages?'])(
    'of %s takes a name, and says where there is no such client, or more than one',
    async (path) => {
      const name = `Shop ${randomUUID()}`;
      const unknown = await get(`${path}client_id=${encodeURIComponent(name)}`);
      expect([unknown.status, unknown.body.message]).toEqual([404, `There is no client ${name}.`]);
      const made = await as(admin, 'POST', '/admin/api/clients', { name });
      const byName = await get(`${path}client_id=${encodeURIComponent(name.toUpperCase())}`);
      const byId = await get(`${path}client_id=${String(made.body.client_id)}`);
      expect([byName.status, byName.body]).toEqual([200, byId.body]);
      await as(admin, 'POST', '/admin/api/clients', { name });
      const several = await get(`${path}client_id=${encodeURIComponent(name)}`);
      expect([several.status, several.body.message]).toEqual([
        400,
        expect.stringContaining(String(made.body.client_id)),
      ]);
      expect((await get(`${path}client_id=%20`)).status).toBe(404);
      // No key of a table is as long.
      expect((await get(`${path}client_id=${'x'.repeat(3000)}`)).status).toBe(400);
    },
  );
});

describe('the activity log', () => {
  it('is read page by page, each entry once, by kind and by time', async () => {
    // Nothing is noted of it but what is done here: not by the gateway, nor by other tests.
    const { client_id } = (await as(admin, 'POST', '/admin/api/clients', { name: 'Read page by page' })).body;
    const path = `/admin/api/clients/${String(client_id)}`;
    for (const country of ['GB', 'FR', 'DE']) await as(admin, 'PATCH', path, { countries: [country] });
    await as(admin, 'POST', `${path}/api-keys`, {});
    const activity = `/admin/api/activity?client_id=${String(client_id)}`;
    const list = async (query: string) => {
      const { body } = await as(admin, 'GET', `${activity}${query}`);
      const entries = body.entries as Pick<Activity, 'entry_id' | 'kind' | 'at'>[];
      return { entries, ids: entries.map(({ entry_id }) => entry_id), cursor: body.next_cursor };
    };
    const all = await list('&limit=100');
    const kinds = ['api_key_created', ...Array(3).fill('permissions_changed'), 'client_created'];
    expect(all.entries.map(({ kind }) => kind)).toEqual(kinds);
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await list(`&limit=2${cursor === undefined ? '' : `&cursor=${String(cursor)}`}`);
      seen.push(...page.ids);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(all.ids);
    expect((await list('&kind=permissions_changed')).ids).toEqual(all.ids.slice(1, 4));
    expect((await list(`&since=${all.entries[2]?.at}&until=${all.entries[1]?.at}`)).ids).toEqual(
      all.ids.slice(1, 3),
    );
    const past = await as(admin, 'GET', '/admin/api/activity?until=2026-01-01T00:00:00.000Z');
    expect(past.body.entries).toEqual([]);
  });
});

describe('a message', () => {
  it('is shown with its history and each of its webhooks', async () => {
    const { body } = await as(admin, 'GET', `/admin/api/messages/${messageId}`);
    expect(body.message).toMatchObject({ message_id: messageId, status: 'delivered', reference: 'order-42' });
    const events = (body.webhooks as { event: string }[]).map(({ event }) => event);
    expect(events.toSorted()).toEqual(['sms.delivered', 'sms.sent']);
  });
});
