/** One-time passwords that nobody verifies are held for that client and country, until an administrator allows them. */

import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Activity } from '../../shared/activity/write-activity.dynamo.ts';
import type { ResponseOf, RowOf } from '../../shared/admin/http/admin-operations.ts';
import { newId } from '../../shared/platform/ids.ts';
import { adminShell } from '../support/admin/admin-shell.ts';
import { startBrowser } from '../support/browser/browser.ts';
import { axeViolations, type Look, openDashboard, photograph, signIn } from '../support/browser/dashboard.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { call, newClient, type TestClient, tokenOf } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

const look: Look = { width: 1280, colorScheme: 'light' };
const shell = adminShell();
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  shell.close();
  await browser.close();
});

/** A client may send 30 a minute, however long the hold takes to come. */
const sendEveryMs = 2500;
const sendOtp = (client: TestClient, fields: object = {}) =>
  client.post('/api/v1/otp/send', { to: freshNumber(), ...fields });

/** Stores passwords of ten minutes ago: as a program's requests leave them, or verified. */
async function store(
  clientId: string,
  country: string,
  passwords: number,
  status: 'pending' | 'verified',
): Promise<void> {
  const dynamo = documentClient();
  const created = new Date(Date.now() - 600_000);
  await Promise.all(
    Array.from({ length: passwords }, (_, index) =>
      dynamo.send(
        new PutCommand({
          TableName: gateway().tables.one_time_passwords,
          Item: {
            otp_id: newId('otp', created),
            client_id: clientId,
            recipient: `+44795${String(index).padStart(7, '0')}`,
            country,
            channel: 'sms',
            purpose: 'default',
            code_length: 6,
            max_attempts: 5,
            attempts: 0,
            sms_sends: 1,
            status,
            created_at: created.toISOString(),
            expires_at: new Date(created.getTime() + 300_000).toISOString(),
          },
        }),
      ),
    ),
  );
  dynamo.destroy();
}

it('a held country is refused with a clear error, and shown to administrators, who allow it', async () => {
  const name = `Shop ${randomUUID()}`;
  const [client, other] = await Promise.all([newClient({ name }), newClient()]);
  const sent = await sendOtp(client);
  expect(sent.status).toBe(202);
  // A client that verifies none compares codes itself.
  await store(client.clientId, 'FR', 1, 'verified');
  await store(client.clientId, 'GB', 90, 'pending');
  const refused = await eventually(
    async () => {
      const response = await sendOtp(client);
      return response.status === 403 ? response : undefined;
    },
    { everyMilliseconds: sendEveryMs },
  );
  expectRefusal(refused, 403, 'otp_held');
  expect(refused.body.message).toContain('to GB are held');
  expect(refused.headers.get('retry-after')).toBeNull();
  // The way out for people, other countries, and other clients.
  expect((await sendOtp(client, { channel: 'whatsapp' })).status).toBe(202);
  expect((await sendOtp(client, { to: '+33612345678' })).status).toBe(202);
  expect((await client.post('/api/v1/sms/send', { to: freshNumber(), message: 'Hello' })).status).toBe(202);
  expect((await sendOtp(other)).status).toBe(202);

  const { admin } = gateway();
  const credential = await tokenOf(admin.client_id, admin.client_secret);
  const attention = (await call('GET', '/admin/api/attention', { credential }))
    .body as unknown as ResponseOf<'showAttention'>;
  const hold = attention.otp_holds.find(({ client_id }) => client_id === client.clientId);
  expect(hold).toMatchObject({ country: 'GB', verified: 0 });
  expect(hold?.summary).toMatch(/^One-time passwords to GB are held: 0 of \d+ \(0 %\) were verified\.$/);
  const { otp_holds } = (await shell.json('call', 'listOtpHolds')) as {
    otp_holds: readonly RowOf<'listOtpHolds', 'otp_holds'>[];
  };
  expect(otp_holds).toContainEqual(hold);
  const path = `/admin/api/activity?client_id=${client.clientId}&kind=otp_held`;
  // Written after the hold itself.
  const entries = await eventually(async () => {
    const { body } = await call('GET', path, { credential });
    const found = body.entries as readonly Activity[];
    return found.length > 0 ? found : undefined;
  });
  expect(entries.map(({ summary }) => summary)).toEqual([hold?.summary]);

  const { page } = await openDashboard(browser, look);
  await signIn(page);
  await page
    .getByText(hold?.summary ?? '')
    .first()
    .waitFor();
  await photograph(page, 'held-one-time-passwords', look);
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByRole('link', { name: hold?.summary ?? '' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  // The client's page says it as well.
  await page.getByText(hold?.summary ?? '').waitFor();
  await page.getByRole('button', { name: 'Allow…: one-time passwords to GB' }).click();
  const dialog = page.getByRole('dialog', { name: 'Allow one-time passwords to GB?' });
  await dialog.waitFor();
  await photograph(page, 'allow-one-time-passwords', look);
  expect(await axeViolations(page)).toEqual([]);
  expect((await shell.json('call', 'listOtpHolds')) as object).toMatchObject({
    otp_holds: expect.arrayContaining([expect.objectContaining({ client_id: client.clientId })]),
  });
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('One-time passwords to GB are allowed.').waitFor();
  await page.context().close();
  const again = await eventually(
    async () => {
      const response = await sendOtp(client);
      return response.status === 202 ? response : undefined;
    },
    { everyMilliseconds: sendEveryMs },
  );
  expect(again.status).toBe(202);
  expect(await shell.json('call', 'listOtpHolds')).not.toMatchObject({
    otp_holds: expect.arrayContaining([expect.objectContaining({ client_id: client.clientId })]),
  });
  expect(await shell.json('call', 'allowOtps', name, 'gb', '--always', 'true')).toMatchObject({
    client_id: client.clientId,
    country: 'GB',
    always: true,
  });
});
