/** A client says to whom it does not want to send, over HTTP; no message to them reaches the carrier. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { newClient } from '../support/http/client.ts';
import { expectRefusal, time } from '../support/http/expected-responses.ts';

const suppressions = '/api/v1/suppressions';
const person = '+447700900141';

describe('suppressions', () => {
  it('are set, listed, changed and ended by the client, and only affect this client', async () => {
    const [own, other] = [await newClient(), await newClient()];
    const put = await own.call('PUT', `/api/v1/suppressions/${person}`, {
      body: { reason: 'Asked by phone' },
    });
    const stored = {
      recipient: person,
      scope: 'messages',
      reason: 'Asked by phone',
      source: 'client',
      created_at: time,
      updated_at: time,
    };
    expect(put).toMatchObject({ status: 200, body: stored });
    expect((await own.call('GET', suppressions)).body).toEqual({ suppressions: [put.body] });
    expect((await other.call('GET', suppressions)).body).toEqual({ suppressions: [] });
    expectRefusal(await other.call('DELETE', `/api/v1/suppressions/${person}`), 404, 'not_found');
    const changed = await own.call('PUT', '/api/v1/suppressions/%2B447700900141', { body: { scope: 'all' } });
    expect(changed.body).toMatchObject({ scope: 'all', created_at: put.body.created_at });
    const found = await own.call('GET', `${suppressions}?recipient=${encodeURIComponent(person)}`);
    expect(found.body).toEqual({ suppressions: [changed.body] });
    const ended = await own.call('DELETE', `/api/v1/suppressions/${person}`);
    expect(ended).toMatchObject({ status: 200, body: { recipient: person, deleted: true } });
    expect((await own.call('GET', suppressions)).body).toEqual({ suppressions: [] });
    expectRefusal(await own.call('DELETE', `/api/v1/suppressions/${person}`), 404, 'not_found');
  });
});

describe('the shell', () => {
  let shell: AdminShell;
  beforeAll(() => {
    shell = adminShell();
  });
  afterAll(() => shell.close());

  it('adds, lists, exports, imports and removes suppressions; a line that is not valid harms no other', async () => {
    const own = await newClient();
    const suppressed = ['call', 'listSuppressions', own.clientId, '--all'];
    expect(await shell.json(...suppressed)).toEqual({ suppressions: [] });
    const reason = 'said "stop", twice';
    await shell.json('call', 'putSuppression', own.clientId, person, '--scope', 'all', '--reason', reason);
    const exported = await shell.run(...suppressed, '--csv');
    const file = join(shell.folder, 'suppressions.csv');
    writeFileSync(file, `${exported.stdout}12345,,all,too short\r\n+447700900144,,,by post\r\n`);
    const imported = await shell.run('suppressions', 'import', own.clientId, file);
    expect(imported).toMatchObject({ status: 1, stdout: '1 of 2 recipients were not suppressed before.\n' });
    expect(imported.stderr).toContain(`${file}, line 3: recipient must be a phone number`);
    expect((await own.call('GET', suppressions)).body.suppressions).toMatchObject([
      { recipient: person, scope: 'all', reason: 'said "stop", twice' },
      { recipient: '+447700900144', scope: 'messages', reason: 'by post', source: 'admin' },
    ]);
    const end = ['call', 'deleteSuppression', own.clientId, person];
    expect(await shell.json(...end)).toMatchObject({ recipient: person });
    expect((await shell.run(...end)).status).toBe(1);
    const absent = join(shell.folder, 'none.csv');
    expect((await shell.run('suppressions', 'import', own.clientId, absent)).status).toBe(2);
  });

  it('sends a message as a person would', async () => {
    const from = freshNumber();
    const sent = await shell.json('call', 'sendInbound', '--from', from, '--text', 'Hi');
    expect(sent).toMatchObject({ from, channel: 'sms', text: 'Hi' });
    expect((await shell.run('call', 'sendInbound', '--from', '12345', '--text', 'Hi')).status).toBe(2);
  });
});
