/** Addresses, titles and focus in the dashboard; each test has a page of its own. */
import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axeViolations, photograph, show } from '../support/browser/dashboard.ts';
import { filtersIn, messagesPerPage, rowsOf, sendMoreThanAPage } from '../support/browser/lists.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { adminToken, call, newClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const dashboard = signedInPage();

const firstId = (page: Page) => rowsOf(page).first().getByRole('link', { name: /^msg_/ }).innerText();

it('keeps filters and page of a list through Back, Forward, reload and in a shared link', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const client = await newClient({ name });
  await sendMoreThanAPage(client);
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.keyboard.press('Enter');
  await rowsOf(page)
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await eventually(async () => ((await rowsOf(page).count()) === 1 ? true : undefined));
  const link = page.url();
  const last = await firstId(page);
  expect(filtersIn(page).get('client_id')).toBe(client.clientId);
  expect(filtersIn(page).getAll('after')).toHaveLength(1);
  expect(filtersIn(page).get('page')).toBe('2');

  await page.reload();
  await eventually(async () => ((await firstId(page)) === last ? true : undefined));
  // The address contains the id. The field shows the name once the client is loaded.
  const field = page.getByLabel('Client', { exact: true });
  await eventually(async () => ((await field.inputValue()) === name ? true : undefined));
  await page.getByText(client.clientId).first().waitFor();
  await page.goBack();
  await rowsOf(page)
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Latest messages' }).waitFor();
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  await page.goForward();
  await rowsOf(page)
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goForward();
  await eventually(async () => ((await rowsOf(page).count()) === 1 ? true : undefined));
  await page.getByRole('button', { name: 'Previous page' }).click();
  await rowsOf(page)
    .nth(messagesPerPage - 1)
    .waitFor();

  const other = await dashboard.openAnother();
  await other.goto(link);
  await eventually(async () => ((await firstId(other)) === last ? true : undefined));
  await other.context().close();
});

it('keeps type, client and time of the activity log in the address', async () => {
  const { page } = dashboard;
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const client = await newClient({ webhookUrl: endpoint.url });
  await failForGood(await client.send({}), 'sms.delivered');
  await show(page, 'activity/webhooks', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged/ }).waitFor();
  await page.getByRole('button', { name: 'Any time' }).click();
  await page.getByRole('radio', { name: 'Last 24 hours' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  expect(Object.fromEntries(filtersIn(page))).toEqual({
    client_id: client.clientId,
    last: '24-hour',
  });

  await page.reload();
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged/ }).waitFor();
  await page.getByRole('button', { name: 'Last 24 hours' }).waitFor();

  await page.getByLabel('Type').click();
  await page.getByRole('option', { name: 'Webhooks resent' }).click();
  await page.getByText('No matches for these filters').waitFor();
  await photograph(page, 'no-matches', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged/ }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await eventually(async () => (filtersIn(page).size === 0 ? true : undefined));
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  await endpoint.close();
});

it('opens the activity log on what people changed, by name, and keeps webhooks and sign-ins in tabs of their own', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  const credential = await adminToken();
  await call('PATCH', `/admin/api/clients/${clientId}`, { credential, body: { countries: ['GB'] } });
  await show(page, 'activity', 'Activity Logs');
  await page.getByLabel('Changed by').fill('Demo admin');
  const changed = rowsOf(page).filter({ hasText: name });
  await changed.filter({ hasText: 'countries' }).getByRole('link', { name: 'Demo admin' }).waitFor();
  await changed.filter({ hasText: /^Demo admin changed/ }).waitFor();
  expect(filtersIn(page).get('actor')).toBe('Demo admin');
  await photograph(page, 'activity-by-actor', usualLook);
  await page.getByLabel('Changed by').fill(clientId);
  await page.getByText('No matches for these filters').waitFor();
  // Of an edit in the console nobody knows whose it is.
  const dynamo = documentClient();
  const Item = { client_id: clientId, endpoint: 'POST /api/v1/otp/verify', per_hour: 900 };
  await dynamo.send(new PutCommand({ TableName: gateway().tables.limit_overrides, Item }));
  dynamo.destroy();
  await show(page, `activity?client_id=${clientId}`, 'Activity Logs');
  const edited = rowsOf(page).filter({ hasText: 'directly in the table' });
  await edited.getByText('Someone', { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: 'Sign-ins' }).click();
  await rowsOf(page)
    .filter({ hasText: 'Demo admin requested a token with the scope admin from' })
    .first()
    .waitFor();
  expect(filtersIn(page).size).toBe(0);
  await page.getByRole('tab', { name: 'Webhooks' }).click();
  await page.getByRole('tab', { name: 'Webhooks', selected: true }).waitFor();
  await page.goBack();
  await page.getByRole('tab', { name: 'Sign-ins', selected: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it('says how much of a spend cap is used where a request did not fit, and what was refused', () =>
  withinOne('day', async () => {
    const { page } = dashboard;
    // The third segment of 0.0042 does not fit.
    const client = await newClient({ caps: { spend: { per_day: 0.01 } } });
    await client.send({});
    await client.send({});
    expect((await client.post('/api/v1/sms/send', { to: freshNumber(), message: 'Hello' })).status).toBe(429);
    await show(page, 'search', 'Search');
    await page.reload();
    await show(page, 'overview', 'Overview');
    const problem = page.getByRole('row').filter({ hasText: client.clientId });
    const sentence =
      /84 % of the spend limit of 0\.01 USD per day is used; a request of 0\.0042 USD was refused at \d\d:\d\d UTC\./;
    await problem.getByText(sentence).waitFor();
    await photograph(page, 'spend-refused', usualLook);
  }));

it('a batch leads to its messages, and each of them back to the batch', async () => {
  const { page } = dashboard;
  const client = await newClient();
  const recipients = [freshNumber(), freshNumber(), '+33'];
  const { body } = await client.post('/api/v1/sms/bulk', { message: 'Hello', recipients });
  await show(page, 'overview', 'Overview');
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(String(body.batch_id));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
  await eventually(async () => ((await rowsOf(page).count()) === 2 ? true : undefined));
  await photograph(page, 'batch', usualLook);
  await page.getByRole('link', { name: /^msg_/ }).first().click();
  await page.getByRole('link', { name: String(body.batch_id) }).click();
  await eventually(async () => ((await rowsOf(page).count()) === 2 ? true : undefined));
});

it('gives each page its title, moves the focus to its heading, and offers to skip to it', async () => {
  const { page } = dashboard;
  const focused = () => page.locator(':focus').textContent();
  for (const title of ['Overview', 'Messages', 'Webhooks', 'Clients', 'Limits', 'Outbox', 'Activity Logs']) {
    await page.getByRole('link', { name: title, exact: true }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await eventually(async () => ((await focused()) === title ? true : undefined));
    expect(await page.title()).toBe(`${title} – Messaging gateway`);
  }
  // Nothing can be done with the heading, so it has no frame; beside the open navigation, there is no second bar.
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('none');
  const secondBar = page.getByRole('button', { name: 'Open side navigation' });
  expect(await secondBar.count()).toBe(0);
  const address = page.url();
  await page.reload();
  await page.getByRole('heading', { name: 'Activity Logs', level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to main content');
  await photograph(page, 'skip-link', usualLook);
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Activity Logs');
  expect(page.url()).toBe(address);

  const search = page.getByRole('searchbox', { name: 'Search', exact: true });
  // A window of 1440 px at a zoom of 200 %.
  const navigation = page.getByRole('link', { name: 'Senders', exact: true });
  await navigation.waitFor();
  await page.setViewportSize({ width: 720, height: 450 });
  await navigation.waitFor({ state: 'hidden' });
  await photograph(page, 'zoom-200', usualLook);
  await secondBar.click();
  await navigation.waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ media: 'print' });
  await search.waitFor({ state: 'hidden' });
  await navigation.waitFor({ state: 'hidden' });
  await photograph(page, 'print', usualLook);
  await page.emulateMedia({ media: 'screen' });
});

it.each(['messages', 'clients', 'webhooks'])(
  'says that there is nothing where the id in the address of %s is no percent-encoding, and goes on',
  async (name) => {
    const { page } = dashboard;
    const title = { messages: 'Message', clients: 'Client', webhooks: 'Webhook' }[name] ?? '';
    for (const id of ['%25', '%', '%ff', '%E0%A4%A', '100%2525']) {
      await show(page, `${name}/${id}`, title);
      await page.getByText('This data could not be loaded').waitFor();
    }
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  },
);
