/** Every command takes a client by its name as well as by its id, and suggests one where a name is not exact. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';

let shell: AdminShell;
let id: string;
const name = `Shop ${randomUUID()}`;

beforeAll(async () => {
  shell = adminShell();
  id = String((await shell.json('clients', 'create', '--name', name)).client_id);
  await shell.json('api-keys', 'create', id);
  await shell.json('senders', 'set', '--client', name, '--country', 'FR', '--identity', 'ACME');
});
afterAll(() => shell.close());

it.each([
  ['clients', 'show', name],
  ['clients', 'disable', name],
  ['clients', 'enable', name],
  ['call', 'rotateClientSecret', name],
  ['call', 'endPreviousSecret', name],
  ['call', 'changeClient', name, '--countries', 'GB'],
  ['api-keys', 'create', name],
  ['api-keys', 'list', name],
  ['limits', 'set', name, 'sms_send', '--per-minute', '50'],
  ['limits', 'list', name],
  ['limits', 'explain', name],
  ['senders', 'set', '--client', name, '--country', 'GB', '--identity', 'ACME'],
])('%s %s takes its name', async (...words) => {
  expect(JSON.stringify(await shell.json(...words))).toContain(id);
});

it.each([
  ['messages', 'list', '--client', name],
  ['call', 'listWebhookEndpoints', name],
  ['webhooks', 'failed', '--client', name],
  ['call', 'listSuppressions', name, '--all'],
  ['call', 'listUsage', '--client', name],
])('%s %s takes its name, and has nothing of it', async (...words) => {
  const [list] = Object.values(await shell.json(...words)).filter(Array.isArray);
  expect(list).toEqual([]);
});

it('rows are found by the name of their client', async () => {
  const { senders } = await shell.json('senders', 'list', '--client', name);
  expect(senders).toContainEqual(expect.objectContaining({ client_id: id, destination: 'sms FR' }));
});

it('rows are removed by the name of their client, and a row of nobody is not removed', async () => {
  await shell.json('limits', 'set', name, 'sms_bulk', '--per-minute', '5');
  const { limits } = await shell.json('limits', 'remove', name, 'sms_bulk');
  expect(limits).toContainEqual(
    expect.objectContaining({ client_id: id, policy: 'sms_bulk', override: null }),
  );
  const { status, stderr } = await shell.run(
    ...['senders', 'remove', '--client', 'client_nobody', '--destination', 'sms GB'],
  );
  expect([status, stderr]).toEqual([1, 'There is no client client_nobody.\n']);
});

it.each([
  ['a part of a name', name.slice(0, -4)],
  ['a part of an id', () => id.slice(0, -4)],
  ['a misspelled name', name.replace('Shop', 'Shpo')],
])('suggests the client for %s', async (_what, wanted) => {
  const { status, stderr } = await shell.run(
    'clients',
    'show',
    typeof wanted === 'string' ? wanted : wanted(),
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`Did you mean ${name} (${id})?`);
});
