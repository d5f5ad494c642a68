/** What the dashboard shows of responses that are odd, empty, refused, or of every kind; each test has a page of its own. */
import { expect, it } from '@jest/globals';
import { show } from '../support/browser/dashboard.ts';
import { signedInPage } from '../support/browser/signed-in-page.ts';
import { gateway } from '../support/gateway/gateway.ts';

const dashboard = signedInPage();

it('a page that fails to render leaves the other pages as they are', async () => {
  const { page } = dashboard;
  const odd = {
    clients: [{}],
    webhooks: [{}],
    limits: [{}],
    message: {},
    messages: [{}],
  };
  for (const [pattern, path, json] of [
    [/admin\/api\/clients/, 'clients', odd],
    [/admin\/api\/clients/, 'clients/client_x', odd],
    [/admin\/api\/clients/, 'limits/client_x', odd],
    [/admin\/api\/limits/, 'limits', odd],
    [/admin\/api\/messages/, 'messages?client_id=x', odd],
    [/admin\/api\/messages/, 'messages/msg_x', odd],
    [/admin\/api\/webhooks/, 'webhooks/whd_x', odd],
    [/admin\/api\/outbox/, 'outbox', { messages: [null] }],
    [/admin\/api\/attention/, 'overview', odd],
  ] as const) {
    await page.route(pattern, (route) => route.fulfill({ status: 200, json }));
    await page.goto(`${gateway().base_url}/admin#/${path}`);
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await page.unroute(pattern);
    await page.getByRole('link', { name: 'Activity Logs', exact: true }).click();
    await page.getByRole('heading', { name: 'Activity Logs', level: 1 }).waitFor();
  }
});

it('says what is wrong with an entry in words for a person', async () => {
  const { page } = dashboard;
  await show(page, 'activity', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill('x'.repeat(200));
  await page.getByText('Client id must have 128 characters or fewer.').first().waitFor();
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Number').fill('+44 7700');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page
    .getByText(/Recipient must be a phone number in international format/)
    .first()
    .waitFor();
  await show(page, 'clients', 'Clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByLabel('Name').fill('x'.repeat(101));
  await page.getByLabel('Webhook URL').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Must have 100 characters or fewer.').first().waitFor();
  const dialog = await page.getByRole('dialog', { name: 'Create client' }).innerText();
  expect(dialog).not.toMatch(/expected|invalid input|too (big|small)|string/i);
});

it('distinguishes an empty list from one without matches', async () => {
  const { page } = dashboard;
  await page.route(/admin\/api\/activity/, (route) => route.fulfill({ status: 200, json: { entries: [] } }));
  await show(page, 'activity/webhooks', 'Activity Logs');
  await page.getByText('Nothing here yet').waitFor();
  await page.getByText('No webhook has failed.').waitFor();
  await show(page, 'activity?kind=limits_set', 'Activity Logs');
  await page.getByText('No matches for these filters').waitFor();
  // There is nothing to ask yet.
  await show(page, 'webhooks', 'Webhooks');
  await page.getByText('Choose a client', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Refresh' }).count()).toBe(0);
});
