/** What administrators see of a carrier whose credentials do not work: over HTTP, and by `doctor`. */

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LocalGateway } from '../../lib/local/gateway.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { type AdminShell, adminShell } from '../support/admin/admin-shell.ts';
import { twilioVendor } from '../support/carrier/vendors/twilio.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { adminToken, call } from '../support/http/client.ts';
import { type LocalServer, startServer } from '../support/http/local-server.ts';

/** A vendor that refuses every credential. */
let vendor: LocalServer;
let stop: LocalGateway['stop'] | undefined;
let shell: AdminShell;
beforeAll(async () => {
  vendor = await startServer((request, response) => {
    request.resume().once('end', () => {
      const { status, headers, text } = twilioVendor.unauthorized;
      response.writeHead(status, headers).end(text);
    });
  });
  const secret = { ...twilioVendor.credentials, base_url: vendor.url };
  ({ stop } = await runGateway({
    settings: { smsCarrier: 'twilio,simulator' },
    secrets: { twilio: JSON.stringify(secret) },
  }));
  shell = adminShell();
});
afterAll(async () => {
  shell?.close();
  await stop?.();
  await vendor.close();
});

it('the carrier is named with what it answered, and what to do', async () => {
  const body = { to: '+447700900123', message: 'Hello' };
  await call('POST', '/api/v1/sms/send', { credential: gateway().api_key, body });
  const credential = await adminToken();
  const refused = await eventually(async () => {
    const { body: listed } = await call('GET', '/admin/api/carriers', { credential });
    return (listed.carriers as readonly RowOf<'listCarriers', 'carriers'>[]).find(
      ({ carrier, last_answer }) => carrier === 'twilio' && last_answer !== null,
    );
  });
  expect(refused).toMatchObject({
    channel: 'sms',
    preference: 1,
    credentials_work: false,
    credentials_answer: '401',
    next_step: expect.stringContaining('TwilioSecretArn'),
    last_answer: { outcome: 'not_taken' },
  });
  const { status, stdout, stderr } = await shell.run('doctor');
  expect(status).toBe(1);
  expect(stdout).toMatch(/sms +1 +twilio +do not work: 401 +not_taken .* TwilioSecretArn/);
  expect(stdout).toMatch(/sms +2 +simulator +none of its own +accepted/);
  for (const value of Object.values(twilioVendor.credentials)) expect(stdout + stderr).not.toContain(value);
});
