/** The everyday questions are answered within the clicks that are counted here, also by keyboard and on a phone. */
import { randomUUID } from 'node:crypto';
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
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { call, newClient, type TestClient, tokenOf } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const wide: Look = { width: 1280, colorScheme: 'light' };
const phone: Look = { width: 390, colorScheme: 'dark' };

let browser: Browser;
let page: Page;
let client: TestClient;
let name: string;

beforeAll(async () => {
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
    addEventListener('pointerdown', () => { globalThis.clicks += 1; }, true);
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
  await open(wide);

  const problem = row(client.clientId).filter({ hasText: '2 webhooks to' });
  expect(await problem.innerText()).toMatch(/2 webhooks to http:\/\/\S+ failed \(HTTP 503\)[\s\S]*UTC|GMT/);
  expect(await axeViolations(page)).toEqual([]);
  await problem.getByRole('link', { name: /2 webhooks to/ }).click();
  await row(/sms\.sent was not acknowledged/).waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('button', { name: 'Resend' }).click();
  expect(await clicks()).toBe(3);
  await page.getByText('2 webhooks are being resent.').waitFor();
  await eventually(async () => (endpoint.received.length >= 14 ? true : undefined));
  endpoint.close();
});

it('"who sends so much today" is on the first page', async () => {
  client = await newClient({ name });
  await client.send({});
  const { client_id, client_secret } = gateway().admin;
  const credential = await tokenOf(client_id, client_secret);
  const first = await eventually(async () => {
    const { body } = await call('GET', '/admin/api/usage/summary?interval=day', { credential });
    return (body.top_senders as { name: string; client_id: string }[])[0];
  });
  await open(phone);
  await row(first.client_id).getByRole('link', { name: first.name }).first().waitFor();
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
