/** Addresses, titles and focus in the dashboard; each test has a page of its own. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { axeViolations, photograph, show } from '../support/browser/dashboard.ts';
import { filtersIn, messagesPerPage, rowsOf, sendMoreThanAPage } from '../support/browser/lists.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
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

  await page.reload();
  await eventually(async () => ((await firstId(page)) === last ? true : undefined));
  // The address has the id, and the field the name.
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe(name);
  await page.getByText(client.clientId).first().waitFor();
  await page.goBack();
  await rowsOf(page)
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goBack();
  await page.getByText('Search for messages').waitFor();
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

it('keeps type, client, time and selection of the activity log in the address', async () => {
  const { page } = dashboard;
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const client = await newClient({ webhookUrl: endpoint.url });
  await failForGood(await client.send({}), 'sms.delivered');
  await show(page, 'activity', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged/ }).waitFor();
  await page.getByRole('button', { name: 'Any time' }).click();
  await page.getByRole('radio', { name: 'Last 24 hours' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/ }).check();
  expect(Object.fromEntries(filtersIn(page))).toEqual({
    client_id: client.clientId,
    last: '24-hour',
    selected: expect.stringMatching(/^act_/),
  });

  await page.reload();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/, checked: true }).waitFor();
  await page.getByRole('button', { name: 'Last 24 hours' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resend', exact: true }).isEnabled()).toBe(true);

  await page.getByLabel('Type').click();
  await page.getByRole('option', { name: 'Clients created' }).click();
  await page.getByText('No matches for these filters').waitFor();
  await photograph(page, 'no-matches', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/, checked: true }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await eventually(async () => (filtersIn(page).size === 0 ? true : undefined));
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  endpoint.close();
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
  const address = page.url();
  await page.reload();
  await page.getByRole('heading', { name: 'Activity Logs', level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to main content');
  await photograph(page, 'skip-link', usualLook);
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Activity Logs');
  expect(page.url()).toBe(address);
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
