/** An administrator sees how a client's endpoints answer, resends what failed since a time, and sends test events. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import {
  axeViolations,
  type Look,
  openDashboard,
  photograph,
  show,
  signIn,
} from '../support/browser/dashboard.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const look: Look = { width: 1280, colorScheme: 'light' };

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
});

it('resends every failed webhook of an endpoint, with the progress, and sends a test event', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const name = `Shop ${randomUUID()}`;
  const client = await newClient({ name, webhookUrl: endpoint.url });
  const messageId = await client.send({});
  await Promise.all([failForGood(messageId, 'sms.delivered'), failForGood(messageId, 'sms.sent')]);
  endpoint.answer = { status: 200, body: '' };
  const managed = `${endpoint.url}/managed`;
  expect((await client.post('/api/v1/webhook-endpoints', { url: managed })).status).toBe(201);
  const { page } = await openDashboard(browser, look);
  await signIn(page);
  await show(page, `clients/${client.clientId}`, name);
  const { origin } = new URL(endpoint.url);
  await page.getByText('failing (HTTP 503) since').waitFor();
  await page.getByRole('button', { name: `Resend all since: ${origin}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Resend all failed webhooks' });
  await photograph(page, 'resend-since', look);
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('2 of 2 resent').waitFor();
  await page.getByText('healthy', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Webhook endpoints' }).scrollIntoViewIfNeeded();
  await photograph(page, 'endpoints', look);
  await page.getByText('Success rate: 14.3 %').waitFor();
  await page.getByRole('heading', { name: 'Webhook attempts' }).scrollIntoViewIfNeeded();
  await page
    .getByLabel(/^Attempts at/)
    .first()
    .waitFor();
  await photograph(page, 'endpoint-charts', look);
  expect(await axeViolations(page)).toEqual([]);

  await page.getByRole('button', { name: `Send test event to ${managed}` }).click();
  await page.getByRole('heading', { name: /^Webhook /, level: 1 }).waitFor();
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  const tested = new URL(page.url()).hash.split('/').at(-1);
  await eventually(async () => endpoint.received.find(({ headers }) => headers['webhook-id'] === tested));
  endpoint.close();
  await page.context().close();
});
