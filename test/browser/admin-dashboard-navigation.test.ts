/** Addresses, titles and focus in the dashboard; each test has a page of its own. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import { axeViolations, type Look, openSignedIn, photograph, show } from '../support/browser/dashboard.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const look: Look = { width: 1280, colorScheme: 'light' };
const messagesPerPage = 25;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  page = await openSignedIn(browser, look);
});

afterEach(async () => {
  await page.context().close();
});

afterAll(async () => {
  await browser.close();
});

/** Without the header, and without the row that tells of loading. */
const rows = (of: Page = page) => of.locator('tbody tr').filter({ has: of.getByRole('link') });

const firstId = (of: Page = page) => rows(of).first().getByRole('link', { name: /^msg_/ }).innerText();

const hash = (): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');

async function sendMany(client: TestClient, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await client.send({});
}

it('keeps filters and page of a list through Back, Forward, reload and in a shared link', async () => {
  const name = `Shop ${randomUUID()}`;
  const client = await newClient({ name });
  await sendMany(client, messagesPerPage + 1);
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.keyboard.press('Enter');
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await eventually(async () => ((await rows().count()) === 1 ? true : undefined));
  const link = page.url();
  const last = await firstId();
  expect(hash().get('client_id')).toBe(client.clientId);
  expect(hash().getAll('after')).toHaveLength(1);

  await page.reload();
  await eventually(async () => ((await firstId()) === last ? true : undefined));
  // The address has the id, and the field the name.
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe(name);
  await page.getByText(client.clientId).first().waitFor();
  await page.goBack();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goBack();
  await page.getByText('Search for messages').waitFor();
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  await page.goForward();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goForward();
  await eventually(async () => ((await rows().count()) === 1 ? true : undefined));
  await page.getByRole('button', { name: 'Previous page' }).click();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();

  const other = await openSignedIn(browser, look);
  await other.goto(link);
  await eventually(async () => ((await firstId(other)) === last ? true : undefined));
  await other.context().close();
});

it('keeps type, client, time and selection of the activity log in the address', async () => {
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
  expect(Object.fromEntries(hash())).toEqual({
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
  await photograph(page, 'no-matches', look);
  expect(await axeViolations(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/, checked: true }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await eventually(async () => (hash().size === 0 ? true : undefined));
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  endpoint.close();
});

it('gives each page its title, moves the focus to its heading, and offers to skip to it', async () => {
  const focused = () => page.locator(':focus').textContent();
  for (const title of ['Overview', 'Messages', 'Clients', 'Limits', 'Outbox', 'Activity Logs']) {
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
  await photograph(page, 'skip-link', look);
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Activity Logs');
  expect(page.url()).toBe(address);
});
