/** An administrator sees what a client was refused, how often and why, without what it sent. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RefusalView } from '../../../shared/admin/refusals.ts';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../../support/http/client.ts';

let shell: AdminShell;
let client: TestClient;
beforeAll(async () => {
  shell = adminShell();
  client = await newClient({ countries: ['GB'] });
});
afterAll(() => shell.close());

const refusals = async (): Promise<readonly RefusalView[]> =>
  (await shell.json('call', 'listRefusals', '--client', client.clientId)).refusals as never;

it('refusals are counted by endpoint and reason, the last in full, and found by the id of the request', async () => {
  expect(await refusals()).toEqual([]);
  const send = '/api/v1/sms/send';
  const to = freshNumber();
  await client.post(send, { to, message: 'Hello' });
  expect(await refusals()).toEqual([]);

  const secret = 'a text of nobody else';
  const invalid = await client.post(send, { to: `${to}x`, message: secret });
  const forbidden = await client.post(send, { to: '+33612345678', message: secret });
  expect([invalid.status, forbidden.status]).toEqual([400, 403]);
  const found = await refusals();
  expect(found.map(({ endpoint, reason, at_least }) => [endpoint, reason, at_least]).toSorted()).toEqual([
    [`POST ${send}`, 'forbidden', 1],
    [`POST ${send}`, 'invalid_request', 1],
  ]);
  const kept = found.find(({ reason }) => reason === 'invalid_request')?.last;
  expect(kept).toMatchObject({
    request_id: invalid.body.request_id,
    status: 400,
    details: [{ field: 'to' }],
  });
  for (const content of [to.slice(-7), secret, '612345678'])
    expect(JSON.stringify(found)).not.toContain(content);

  const id = String(forbidden.body.request_id);
  const { stdout } = await shell.run('find', id);
  expect(stdout).toContain('A refused request');
  expect(stdout).toContain(id);
});
