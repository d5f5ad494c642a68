/** One change of an administrator is found in the shell, by who made it, when and of which kind. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/write-activity.dynamo.ts';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { call, tokenOf } from '../../support/http/client.ts';

let shell: AdminShell;
const [admin, shop] = [`Operator ${randomUUID()}`, `Shop ${randomUUID()}`];
let ids: { readonly admin: string; readonly shop: string };

beforeAll(async () => {
  shell = adminShell();
  const operator = await shell.json('clients', 'create', '--name', admin, '--scopes', 'admin');
  const client = await shell.json('clients', 'create', '--name', shop);
  ids = { admin: String(operator.client_id), shop: String(client.client_id) };
  const token = await tokenOf(ids.admin, String(operator.client_secret));
  const path = `/admin/api/clients/${ids.shop}`;
  const { status } = await call('PATCH', path, { credential: token, body: { disabled: true } });
  expect(status).toBe(200);
});
afterAll(() => shell.close());

const activity = async (...words: string[]): Promise<readonly Activity[]> =>
  (await shell.json('activity', ...words)).entries as never;

it.each([
  ['by the name of who made it', () => ['--actor', admin]],
  ['by the id of who made it', () => ['--actor', ids.admin]],
  ['by who and what it is about', () => ['--actor', admin, '--client', shop, '--since', '1h']],
  ['by its kind', () => ['--client', shop, '--kind', 'client_disabled']],
])('%s', async (_how, words) => {
  const entries = (await activity(...words())).filter(({ kind }) => kind !== ('signed_in' as string));
  expect(entries).toMatchObject([{ kind: 'client_disabled', actor: ids.admin, client_id: ids.shop }]);
});

it('has what was done in the shell by the name of its user', async () => {
  const { username } = userInfo();
  const actor = `${username} (shell)`;
  expect(await activity('--actor', actor, '--client', shop)).toMatchObject([
    { kind: 'client_created', actor },
  ]);
});

it('is empty before it, and for somebody who did nothing', async () => {
  expect(await activity('--actor', admin, '--until', '2026-01-01')).toEqual([]);
  expect(await activity('--actor', 'nobody at all')).toEqual([]);
});

it('is shown with names instead of ids', async () => {
  const { stdout } = await shell.run('activity', '--actor', admin, '--kind', 'client_disabled');
  expect(stdout).toMatch(new RegExp(`${admin} .*${shop}`));
});
