/** Checks that a change is sent once, contains only what the user edited, and that a refusal is shown. */
import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { rotateClientSecret } from '../../shared/client/client-admin.ts';
import { findClient } from '../../shared/client/client-store.dynamo.ts';
import { startBrowser } from '../support/browser/browser.ts';
import { axeViolations, openDashboard, photograph, show } from '../support/browser/dashboard.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { adminToken, call, clientAdmin, newClient } from '../support/http/client.ts';

const dashboard = signedInPage();

/** The bodies of the requests of this method from now on. */
function bodiesOf(page: Page, method: string): unknown[] {
  const bodies: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === method) bodies.push(request.postDataJSON());
  });
  return bodies;
}

it('sends the list of countries or senders that was edited, so that a change of the other is kept', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  await show(page, `clients/${clientId}`, name);
  const sent = bodiesOf(page, 'PATCH');
  for (const [list, text] of [
    ['Countries', 'GB, FR'],
    ['Senders', 'ACME, otp'],
  ] as const) {
    const answer = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.getByRole('textbox', { name: list }).fill(text);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await answer;
    // So that the form has what is saved.
    await page.reload();
  }
  expect(sent).toEqual([{ countries: ['GB', 'FR'] }, { senders: ['ACME', 'otp'] }]);
});

it('ends the previous client secret, where there is one', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  const end = page.getByRole('button', { name: 'End previous client secret' });
  await show(page, `clients/${clientId}?tab=credentials`, name);
  expect(await end.count()).toBe(0);
  await rotateClientSecret(clientAdmin(), clientId, new Date());
  await page.reload();
  await end.click();
  await page.getByRole('button', { name: 'End secret' }).click();
  await page.getByText('Previous client secret ended.').waitFor();
  await end.waitFor({ state: 'detached' });
  expect((await findClient(clientAdmin(), clientId))?.secrets).toHaveLength(1);
});

it('rotates a leaked secret without an overlap: only the new one is valid', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  await show(page, `clients/${clientId}?tab=credentials`, name);
  await page.getByRole('button', { name: 'Rotate client secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate the client secret?' });
  await dialog.getByRole('button', { name: 'Overlap' }).click();
  await page.getByRole('option', { name: 'None: it has leaked' }).click();
  await dialog.getByText('Older secrets are rejected within 60 seconds.').waitFor();
  await photograph(page, 'rotate-leaked-secret', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText(/^cs_/).waitFor();
  expect((await findClient(clientAdmin(), clientId))?.secrets).toHaveLength(1);
});

it('shows a change that is refused after its page or dialog was left', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  await show(page, `clients/${clientId}`, name);
  await page.route(`**/admin/api/clients/${clientId}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor();
    return route.fulfill({ status: 503, json: { message: 'Try again later.' } });
  });
  await page.getByLabel('Webhook URL').fill('https://example.com/other');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Limits', exact: true }).first().click();
  await page.getByText('Try again later.').waitFor();
  await photograph(page, 'refused-after-leaving', usualLook);
});

it('has the numbers of limits as the gateway, and refuses what is another number in the language of the browser', async () => {
  const { page } = dashboard;
  const { clientId } = await newClient({ limits: 'default' });
  const session = await page.evaluate(() => Object.entries(sessionStorage)[0] as [string, string]);
  const browser = await startBrowser();
  const german = (await openDashboard(browser, usualLook, session, 'de-DE')).page;
  await show(german, `limits/${clientId}`, 'Limits');
  await german.getByText('0 of 1,000', { exact: true }).first().waitFor();
  expect(await german.getByText('0 of 1.000', { exact: true }).count()).toBe(0);
  const sent = bodiesOf(german, 'PATCH');
  await german.getByRole('button', { name: 'Edit row: spend' }).click();
  const dialog = german.getByRole('dialog');
  const perDay = dialog.getByLabel('Per day, in USD');
  const save = dialog.getByRole('button', { name: 'Save' });
  await perDay.fill('1.000');
  await dialog.getByText('Enter 1000 or 1.0000: the point is the decimal point.').first().waitFor();
  expect(await save.isDisabled()).toBe(true);
  await photograph(german, 'ambiguous-limit', usualLook);
  // What is no number would be null, which removes the limit.
  await perDay.fill('1,000');
  await dialog.getByText('Enter an amount above 0').first().waitFor();
  await perDay.fill('1000');
  await save.click();
  await german.getByText('Limits of spend saved.').waitFor();
  expect(sent).toEqual([{ endpoint: 'spend', per_day: 1000 }]);
  await browser.close();
});

it('says that a saved row is still invalid; a row of nobody has a warning', async () => {
  const { page } = dashboard;
  const { clientId } = await newClient({ limits: 'default' });
  const endpoint = 'POST /api/v1/sms/send';
  const nobody = `nobody-${randomUUID()}`;
  const dynamo = documentClient();
  const rows = [
    { client_id: clientId, endpoint, per_mintue: 5, per_hour: 900 },
    { client_id: nobody, endpoint, per_minute: 5 },
  ];
  const TableName = gateway().tables.limit_overrides;
  await Promise.all(rows.map((Item) => dynamo.send(new PutCommand({ TableName, Item }))));
  dynamo.destroy();
  await show(page, `limits/${clientId}`, 'Limits');
  const wrong = page.getByText('per_mintue “5”: there is no such attribute. Did you mean per_minute?');
  await wrong.waitFor();
  await page.getByRole('button', { name: `Edit row: ${endpoint}` }).click();
  await page.getByRole('dialog').getByLabel('Per day').fill('800');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(`Limits of ${endpoint} saved. The row is still invalid. per_mintue: there is`)
    .waitFor();
  expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(1);
  await photograph(page, 'limits-still-invalid', usualLook);
  expect(await axeViolations(page)).toEqual([]);

  // Of many rows, the list's first page may be without it.
  await page.route(/admin\/api\/limits(\?|$)/, (route) =>
    route.continue({ url: `${gateway().base_url}/admin/api/limits?client_id=${encodeURIComponent(nobody)}` }),
  );
  const row = page.getByRole('row').filter({ hasText: nobody });
  await eventually(async () => {
    await show(page, 'search', 'Search');
    await show(page, 'limits', 'Limits');
    return (await row.getByText('there is no client').isVisible()) || undefined;
  });
  await photograph(page, 'limits-of-nobody', usualLook);
  await row.getByRole('link', { name: nobody }).click();
  await page.getByText('there is no client').first().waitFor();
  await page.getByRole('button', { name: `Reset to default: ${endpoint}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset to default' }).click();
  await page.getByText(`Limits of ${endpoint} reset to the defaults.`).waitFor();
});

it('takes a limit as its placeholder shows it, and drops an error once its value is corrected', async () => {
  const { page } = dashboard;
  const { clientId } = await newClient({ limits: 'default' });
  const endpoint = 'POST /api/v1/sms/send';
  await show(page, `limits/${clientId}`, 'Limits');
  await page.getByRole('button', { name: `Edit row: ${endpoint}` }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Per hour').getAttribute('placeholder')).toBe('1,000');
  await dialog.getByLabel('Per hour').fill('20,000');
  const sent = bodiesOf(page, 'PATCH');
  await dialog.getByRole('textbox', { name: 'Date' }).fill('1970/01/01');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const refused = dialog.getByText('is not a valid time').first();
  await refused.waitFor();
  await dialog.getByRole('textbox', { name: 'Date' }).fill('2099/11/30');
  await refused.waitFor({ state: 'detached' });
  await photograph(page, 'limit-row-form', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Limits of ${endpoint} saved.`).waitFor();
  const [, { expires_at, ...rest }] = sent as [unknown, { expires_at: string }];
  expect(rest).toEqual({ endpoint, per_hour: 20_000 });
  expect(expires_at).toMatch(/^2099-11-(29|30)T/);
});

it('shows when a scheduled message is sent, and cancels it; of one that was sent, the id at the carrier', async () => {
  const { page } = dashboard;
  const client = await newClient();
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const [messageId, sentId] = await Promise.all([client.send({ scheduled_at }), client.send({})]);
  await show(page, `messages/${messageId}`, 'Message');
  await page.getByText('Scheduled for').waitFor();
  await page.locator(`time[datetime="${scheduled_at}"]`).first().waitFor();
  await photograph(page, 'scheduled-message', usualLook);
  await page.getByRole('button', { name: 'Cancel message' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
  await page.getByText('Message canceled.').waitFor();
  await page.getByText('canceled', { exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Cancel message' }).count()).toBe(0);
  await client.statusOnce(messageId, 'canceled');

  await client.statusOnce(sentId, 'delivered');
  const credential = await adminToken();
  const { body } = await call('GET', `/admin/api/messages/${sentId}`, { credential });
  const { carrier_message_id } = body.message as { carrier_message_id: string };
  expect(carrier_message_id).toEqual(expect.any(String));
  await show(page, `messages/${sentId}`, 'Message');
  await page.getByText(carrier_message_id, { exact: true }).waitFor();
  await page.getByRole('button', { name: "Copy the carrier's message id" }).waitFor();
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(carrier_message_id);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor();
  await page.getByText(sentId, { exact: true }).first().waitFor();
});

it('asks for one token at a double click, and wraps a long name on a phone of the least width', async () => {
  const name = 'Überlange'.repeat(10);
  const browser = await startBrowser();
  const { page } = await openDashboard(browser, { width: 320, colorScheme: 'light' });
  const sent = bodiesOf(page, 'POST');
  const { client_id, client_secret } = gateway().admin;
  await page.getByLabel('Client id').fill(client_id);
  await page.getByLabel('Client secret').fill(client_secret);
  await page.getByRole('button', { name: 'Sign in' }).evaluate((button) => {
    for (let click = 0; click < 2; click += 1) (button as unknown as { click(): void }).click();
  });
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(sent).toHaveLength(1);

  await page.route(/admin\/api\/clients(\?|$)/, (route) =>
    route.fulfill({
      json: { clients: [{ client_id: 'client_1', name, scopes: [], disabled: false, invalid: [] }] },
    }),
  );
  await show(page, 'clients', 'Clients');
  const link = await page.getByRole('link', { name }).boundingBox();
  expect((link?.x ?? 320) + (link?.width ?? 0)).toBeLessThan(320);
  await browser.close();
});

it('has the focus in the first field of a dialog, and gives it back where the dialog was opened', async () => {
  const { page } = dashboard;
  await show(page, 'clients', 'Clients');
  const open = page.getByRole('button', { name: 'Create client' });
  await open.focus();
  await page.keyboard.press('Enter');
  await page.locator('input:focus').and(page.getByLabel('Name')).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('button:focus').and(open).waitFor();
});
