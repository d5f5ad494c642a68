/** Every operation takes a client by its name as well as by its id, and suggests one where a name is not exact. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';

let shell: AdminShell;
let id: string;
const name = `Shop ${randomUUID()}`;

beforeAll(async () => {
  shell = adminShell();
  id = String((await shell.json('call', 'createClient', '--name', name)).client_id);
});
afterAll(() => shell.close());

it.each([
  ['showClient', name],
  ['changeClient', name, '--countries', 'GB'],
  ['createApiKey', name],
  ['explainLimits', name],
  ['setSender', '--client', name, '--country', 'GB', '--identity', 'ACME'],
  ['listSenders', '--client', name],
  ['listActivity', '--client', name, '--kind', 'client_created', '--since', '1h'],
])('%s takes its name', async (...words) => {
  expect(JSON.stringify(await shell.json('call', ...words))).toContain(id);
});

it('an entry of the Activity Log has the user of the shell', async () => {
  const { entries } = await shell.json('call', 'listActivity', '--client', name, '--kind', 'client_created');
  expect(entries).toMatchObject([{ actor: expect.stringMatching(/ \(shell\)$/) }]);
  expect(await shell.json('call', 'listActivity', '--actor', 'nobody at all')).toEqual({ entries: [] });
});

it('rows are removed by the name of their client, and a row of nobody is not removed', async () => {
  await shell.json('call', 'setLimits', name, '--endpoint', 'sms_bulk', '--per-minute', '5');
  const { limits } = await shell.json('call', 'removeLimits', name, '--endpoint', 'sms_bulk');
  expect(limits).toContainEqual(
    expect.objectContaining({ client_id: id, policy: 'sms_bulk', override: null }),
  );
  const { status, stderr } = await shell.run(
    ...['call', 'removeSender', '--client', 'client_nobody', '--destination', 'sms GB'],
  );
  expect([status, stderr]).toEqual([1, 'There is no client client_nobody.\n']);
});

it.each([
  ['a part of a name', () => name.slice(0, -4)],
  ['a part of an id', () => id.slice(0, -4)],
  ['a misspelled name', () => name.replace('Shop', 'Shpo')],
])('suggests the client for %s', async (_what, wanted) => {
  const { status, stderr } = await shell.run('call', 'showClient', wanted());
  expect(status).toBe(1);
  expect(stderr).toContain(`Did you mean ${name} (${id})?`);
});
