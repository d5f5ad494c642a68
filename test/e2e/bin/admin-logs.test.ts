/** An administrator sees the requests of a client, and how many were refused, without what they say. */
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

it('refused requests are counted by endpoint and reason, with the fields that were wrong', async () => {
  const client = await newClient({ countries: ['GB'] });
  const to = freshNumber();
  await client.send({ to, message: 'Hello' });
  const invalid = await client.post('/api/v1/sms/send', { to: `${to}x`, message: 'a text of nobody else' });
  const forbidden = await client.post('/api/v1/sms/send', { to: '+33612345678', message: 'Hello' });
  const count = ['logs', 'refusals', '--client', client.clientId, '--since', '10m'];
  const refusals = await eventually(async () => {
    const found = (await shell.json(...count)).refusals as readonly Record<string, unknown>[];
    return found.length === 2 ? found : undefined;
  });
  const common = { client_id: client.clientId, endpoint: 'POST /api/v1/sms/send', count: 1 };
  expect(refusals).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...{ ...common, reason: 'invalid_request', faulty_fields: ['to'] },
        last_request_id: invalid.body.request_id,
      }),
      expect.objectContaining({ ...common, reason: 'forbidden', last_request_id: forbidden.body.request_id }),
    ]),
  );
  const { status, stdout } = await shell.run(
    'logs',
    'refusals',
    '--since',
    '2026-01-01',
    '--until',
    '2026-01-02',
  );
  expect([status, stdout]).toEqual([0, expect.stringContaining('No request was refused')]);
  for (const content of [to.slice(-7), 'nobody else', '612345678'])
    expect(JSON.stringify(refusals)).not.toContain(content);
});

it('does not promise one document of requests without an end', async () => {
  const { status, stderr } = await shell.run('logs', 'tail', '--json');
  expect([status, stderr]).toEqual([2, expect.stringContaining('--no-follow')]);
});
