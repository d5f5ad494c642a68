/** The shell finds messages, and exports all of them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

it.each([
  ['a number', () => ['--recipient', first]],
  ['a number and a client', () => ['--recipient', first, '--client', client.clientId]],
  [
    'a reference and a client',
    () => ['--reference', reference, '--client', client.clientId, '--since', '2h'],
  ],
])('finds messages by %s', async (_what, options) => {
  const { messages } = await shell.json('call', 'searchMessages', ...options());
  expect(messages).toMatchObject([{ recipient: first }]);
});

it('says what is wrong with a time or a reference', async () => {
  for (const [words, message] of [
    [['--since', 'yesterday'], '--since is not a time: give one such as 2h'],
    [['--reference', randomUUID()], 'must be given with a reference'],
  ] as const)
    expect(await shell.run('call', 'searchMessages', ...words)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(message),
    });
});

it('exports every message of a client as CSV, with numbers as they are', async () => {
  const list = ['call', 'searchMessages', '--client', client.clientId, '--all'];
  const { stdout } = await shell.run(...list, '--csv');
  expect(stdout.trimEnd().split('\r\n')).toHaveLength(1 + numbers.length);
  for (const to of numbers) expect(stdout).toContain(to);
  expect(await shell.json(...list, '--test')).toEqual({ messages: [] });
});

it('find prints the messages of the number that it found', async () => {
  const { stdout, status } = await shell.run('find', first);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^CREATED +CHANNEL/m);
  expect(stdout).toContain(first);
});
