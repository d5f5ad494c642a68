/** An administrator sees the requests of a client as they come, without what they say. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { eventually } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';

let shell: AdminShell;
beforeAll(() => {
  shell = adminShell();
});
afterAll(() => shell.close());

it('requests are shown with their client, status, error and message, without number, text and address', async () => {
  const [client, other] = await Promise.all([newClient(), newClient()]);
  const to = freshNumber();
  const messageId = await client.send({ to, message: 'a text of nobody else' });
  await Promise.all([client.post('/api/v1/sms/send', { to: 5 }), other.send({})]);
  const tail = ['logs', 'tail', '--client', client.clientId, '--since', '10m', '--no-follow'];
  const requests = await eventually(async () => {
    const found = (await shell.json(...tail)).requests as readonly Record<string, unknown>[];
    const sends = found.filter(({ path }) => path === '/api/v1/sms/send');
    return sends.length === 2 ? sends : undefined;
  });
  expect(requests).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ client_id: client.clientId, status: 202, message_id: messageId }),
      expect.objectContaining({ client_id: client.clientId, status: 400, error: 'invalid_request' }),
    ]),
  );
  const { status, stdout } = await shell.run(...tail);
  expect([status, stdout]).toEqual([0, expect.stringContaining(`202 POST /api/v1/sms/send`)]);
  for (const content of [to.slice(-7), 'nobody else', '127.0.0.1', other.clientId])
    expect(stdout + JSON.stringify(requests)).not.toContain(content);
});

it('does not promise one document of requests without an end', async () => {
  const { status, stderr } = await shell.run('logs', 'tail', '--json');
  expect([status, stderr]).toEqual([2, expect.stringContaining('--no-follow')]);
});
