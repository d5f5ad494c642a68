/** The everyday questions are answered within the clicks that are counted here, also by keyboard and on a phone. */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import {
  axeViolations,
  type Look,
  openDashboard,
  photograph,
  show,
  signIn,
} from '../support/browser/dashboard.ts';
import { fillTables } from '../support/browser/many-rows.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient, type TestClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const wide: Look = { width: 1280, colorScheme: 'light' };
const phone: Look = { width: 390, colorScheme: 'dark' };

let browser: Browser;
let page: Page;
let client: TestClient;
let name: string;

/** `DASHBOARD_ROWS=10000`: among so many clients, messages and failed webhooks of others. */
const rowsOfOthers = Number(process.env.DASHBOARD_ROWS ?? 0);

beforeAll(async () => {
  await fillTables(rowsOfOthers);
  browser = await startBrowser();
});

beforeEach(async () => {
  name = `Shop ${randomUUID()}`;
});

afterEach(async () => {
  await page.context().close();
});

afterAll(async () => {
  await browser.close();
});

async function open(look: Look): Promise<void> {
  page = (await openDashboard(browser, look)).page;
  await page.addInitScript(`
    globalThis.clicks = 0;
    // A click that Playwright repeats, because the page moved under the pointer, is prevented the first time.
    const count = (event) => { if (!event.defaultPrevented) globalThis.clicks += 1; };
    addEventListener('pointerdown', (event) => setTimeout(count, 0, event), true);
  `);
  await page.reload();
  await signIn(page);
  await page.evaluate('globalThis.clicks = 0');
}

const clicks = (): Promise<unknown> => page.evaluate('globalThis.clicks');

const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

it('"our webhook is down": the endpoint, since when, and resend all, with 3 clicks from the overview', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  client = await newClient({ name, webhookUrl: endpoint.url });
  const messageId = await client.send({});
  await Promise.all([failForGood(messageId, 'sms.delivered'), failForGood(messageId, 'sms.sent')]);
  endpoint.answer = { status: 200, body: '' };
  const refused = endpoint.received.length;
  await open(wide);
  await show(page, `clients/${client.clientId}`, name);
  const health = row(new URL(endpoint.url).origin);
  await health.getByText('failing (HTTP 503) since').waitFor();
  await page.getByRole('heading', { name: 'Webhook endpoints' }).scrollIntoViewIfNeeded();
  await photograph(page, 'webhook-endpoints', wide);
  await show(page, 'overview', 'Overview');

  // Of more failed webhooks than the page counts, as other tests make them, it says so.
  const problem = row(client.clientId).filter({ hasText: /2 webhooks (at least )?to/ });
  expect(await problem.innerText()).toMatch(/to http:\/\/\S+ failed \(HTTP 503\)[\s\S]*UTC|GMT/);
  expect(await axeViolations(page)).toEqual([]);
  await problem.getByRole('link', { name: /2 webhooks (at least )?to/ }).click();
  await row(/sms\.sent was not acknowledged/).waitFor();
  await page.getByRole('button', { name: 'Resend all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resend all failed webhooks?' });
  await photograph(page, 'resend-all', wide);
  await dialog.getByRole('button', { name: 'Resend' }).click();
  expect(await clicks()).toBe(3);
  await page.getByText('2 webhooks are being resent.').waitFor();
  await eventually(async () => {
    const ids = endpoint.received.slice(refused).map(({ headers }) => headers['webhook-id']);
    return new Set(ids).size === 2 ? true : undefined;
  });
  endpoint.close();
});

it('"who sends so much today" is on the first page', async () => {
  client = await newClient({ name });
  await client.send({});
  const credential = await adminToken();
  await open(phone);
  await eventually(
    async () => {
      const { body } = await call('GET', '/admin/api/usage/summary?interval=day', { credential });
      // Another test may send more meanwhile, until the page is refreshed.
      const [first] = body.top_senders as { name: string; client_id: string }[];
      if (first === undefined) return undefined;
      const link = row(first.client_id).getByRole('link', { name: first.name }).first();
      return (await link.isVisible()) || undefined;
    },
    { everyMilliseconds: 1000 },
  );
  await photograph(page, 'overview-first', phone);
  expect(await axeViolations(page)).toEqual([]);
  expect(await clicks()).toBe(0);
});

it('"raise it to 600 per minute": 3 clicks, and the window that is reached first is shown before', async () => {
  client = await newClient({ name, limits: 'default' });
  await open(wide);
  await show(page, `clients/${client.clientId}`, name);
  await page.getByRole('link', { name: 'Edit limits' }).click();
  await page.getByRole('button', { name: 'Edit Per minute of POST /api/v1/sms/send' }).click();
  await page.keyboard.type('600');
  await page.getByText('Reached first: 1,000 per hour, after 100 s at full rate.').waitFor();
  await photograph(page, 'limit-preview', wide);
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await clicks()).toBe(3);
  await page.getByText(/^Limits of POST \/api\/v1\/sms\/send saved/).waitFor();
});

it('"I got no SMS": one search, by the number as it is written on paper', async () => {
  client = await newClient({ name });
  const subscriber = randomInt(100_000, 999_999);
  const { body } = await client.post('/api/v1/sms/send', {
    to: `+447700${subscriber}`,
    message: 'Your code',
    reference: name,
  });
  const messageId = String(body.message_id);
  await client.statusOnce(messageId, 'delivered');
  await open(wide);
  const search = page.getByRole('searchbox', { name: 'Search', exact: true });
  await search.fill(`07700 ${String(subscriber).slice(0, 3)}-${String(subscriber).slice(3)}`);
  await page.keyboard.press('Enter');
  await row(messageId).getByText('delivered').waitFor();
  expect(await clicks()).toBe(0);
  expect(await page.title()).toBe('Messages – Messaging gateway');

  await search.fill(messageId);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor();
  await page.goBack();
  await row(messageId).waitFor();

  // The name is that of the client, and the reference of its message.
  await search.fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
  await row(/^Messages of .* with the reference/).waitFor();
  await photograph(page, 'search', wide);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();

  await search.fill('nothing of that kind');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing was found for “nothing of that kind”').waitFor();

  // What a caller quotes from an error is in no table; the page has the query that finds it in the logs.
  const refused = await client.post('/api/v1/sms/send', {});
  await search.fill(String(refused.body.request_id));
  await page.keyboard.press('Enter');
  await page.getByText(`filter request_id = "${String(refused.body.request_id)}"`).waitFor();
  await page.getByRole('button', { name: 'Copy log query' }).waitFor();
  await photograph(page, 'search-request', wide);
  expect(await axeViolations(page)).toEqual([]);
});

it('"why does my customer get nothing": the conversation shows STOP, and the suppression is removed and added again', async () => {
  client = await newClient({ name });
  const person = `+447700${randomInt(100_000, 999_999)}`;
  await client.statusOnce(await client.send({ to: person, message: 'Your parcel is here' }), 'delivered');
  await open(wide);
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(person);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: `Conversation with ${name}` }).click();
  const message = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await message('Your parcel is here').getByText('delivered').waitFor();
  await page.getByText('not suppressed').waitFor();
  await page.getByLabel('Text', { exact: true }).fill('stop.');
  await page.getByRole('button', { name: 'Send reply' }).click();
  await message('asks to opt out').getByText('stop.').waitFor();
  await page.getByText('suppressed', { exact: true }).waitFor();
  await client.statusOnce(await client.send({ to: person }), 'failed');
  await message('recipient_opted_out').getByText('failed').waitFor();
  await photograph(page, 'conversation-stop', wide);

  await page.getByRole('link', { name: 'Show suppression' }).click();
  await page.getByRole('button', { name: `Remove ${person}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove suppression' }).click();
  await page.getByText(`Messages to ${person} are sent again.`).waitFor();
  await page.getByRole('button', { name: 'Add suppression' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add suppression' });
  await dialog.getByLabel('Recipient').fill('12');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('must be a phone number in international format').waitFor();
  await dialog.getByLabel('Recipient').fill(`${person.slice(0, 3)} (0)${person.slice(3)}`);
  await dialog.getByLabel('Reason').fill('Asked by phone');
  await photograph(page, 'add-suppression', wide);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await row(person).getByText('Asked by phone').waitFor();
});

it('a client is found, and its limit raised, by keyboard alone on a phone', async () => {
  client = await newClient({ name, limits: 'default' });
  await open(phone);
  await tabTo('Search');
  await page.keyboard.press('Enter');
  await tabTo('Search');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await tabTo('Edit limits');
  await page.keyboard.press('Enter');
  await row('POST /api/v1/sms/send').waitFor();
  await tabTo('Edit Per minute of POST /api/v1/sms/send');
  await page.keyboard.press('Enter');
  await page.keyboard.type('600');
  await page.getByText('Reached first: 1,000 per hour, after 100 s at full rate.').waitFor();
  await photograph(page, 'limit-preview', phone);
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText(/^Limits of POST \/api\/v1\/sms\/send saved/).waitFor();
  expect(await clicks()).toBe(0);
});

const tabsMax = 80;

/** What a screen reader would say of the focus: its label, or its text. */
const focusedName = async (): Promise<string> =>
  String(
    await page.evaluate(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()",
    ),
  );

/** Presses Tab until the focus is on what has this name. */
async function tabTo(wanted: string): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    await page.keyboard.press('Tab');
    const name = await focusedName();
    if (name === wanted) return;
    passed.push(name.slice(0, 40));
  }
  throw new Error(`the keyboard does not reach ${wanted}, only ${passed.join(' | ')}`);
}
