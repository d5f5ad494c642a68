/** The shell finds messages, and exports all of them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../../support/http/client.ts';

let shell: AdminShell;
let client: TestClient;
const numbers = Array.from({ length: 120 }, freshNumber);
const [first = ''] = numbers;
const reference = `order-${randomUUID()}`;

beforeAll(async () => {
  shell = adminShell();
  client = await newClient();
  const recipients = numbers.map((to) => ({ to, ...(to === first ? { reference } : {}) }));
  const { status } = await client.post('/api/v1/sms/bulk', { recipients, message: 'Hello' });
  expect(status).toBe(202);
});
afterAll(() => shell.close());

type Found = readonly { readonly message_id: string; readonly recipient: string }[];

describe('messages list', () => {
  it.each([
    ['a number', () => ['--recipient', first]],
    ['a number and a client', () => ['--recipient', first, '--client', client.clientId]],
    [
      'a reference and a client',
      () => ['--reference', reference, '--client', client.clientId, '--since', '2h'],
    ],
  ])('finds messages by %s', async (_what, options) => {
    const { messages } = await shell.json('messages', 'list', ...options());
    expect((messages as Found).map(({ recipient }) => recipient)).toEqual([first]);
  });

  it('has the newest, as many as are asked for, and says that there are more', async () => {
    const { messages, more } = await shell.json(
      'messages',
      'list',
      '--client',
      client.clientId,
      '--limit',
      '110',
    );
    expect(new Set((messages as Found).map(({ message_id }) => message_id)).size).toBe(110);
    expect(more).toBe(true);
  });

  it('says which data it searched', async () => {
    const list = ['messages', 'list', '--client', client.clientId];
    expect((await shell.run(...list)).stdout).toContain('Searched: live data. --test searches');
    const { stdout } = await shell.run(...list, '--test');
    expect(stdout).toBe(
      'No message was found.\n\nSearched: test data. Live data is searched without --test.\n',
    );
  });

  it('says what is wrong with a time or a reference', async () => {
    const time = await shell.run('messages', 'list', '--since', 'yesterday');
    expect([time.status, time.stderr]).toEqual([
      2,
      expect.stringContaining('--since is not a time: give one such as 2h'),
    ]);
    const none = await shell.run('messages', 'list', '--reference', randomUUID());
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringContaining('must be given with a reference'),
    ]);
  });

  it('exports every message of a client as CSV, with numbers as they are', async () => {
    const { stdout } = await shell.run(
      'call',
      'searchMessages',
      '--client',
      client.clientId,
      '--all',
      '--csv',
    );
    expect(stdout.trimEnd().split('\r\n')).toHaveLength(1 + numbers.length);
    for (const to of numbers) expect(stdout).toContain(to);
  });
});

it('find prints the messages of the number that it found', async () => {
  const { stdout, status } = await shell.run('find', first);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^CREATED +CHANNEL/m);
  expect(stdout).toContain(first);
});
