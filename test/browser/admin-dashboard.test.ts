/** What an administrator does in the dashboard, in a real browser; each test has a page and a client of its own. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import {
  axeViolations,
  type OpenDashboard,
  openDashboard,
  show,
  signIn,
} from '../support/browser/dashboard.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient, type TestClient, tokenOf } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import {
  type RecoveringWebhookEndpoint,
  startRecoveringWebhookEndpoint,
} from '../support/webhook/recovering-endpoint.ts';

const name = 'Browser shop';

let browser: Browser;
let webhookEndpoint: RecoveringWebhookEndpoint;
let dashboard: OpenDashboard;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  webhookEndpoint = await startRecoveringWebhookEndpoint();
  dashboard = await openDashboard(browser, { width: 1440, colorScheme: 'light' });
  page = dashboard.page;
});

afterEach(async () => {
  await page.close();
  await webhookEndpoint.close();
});

afterAll(async () => {
  await browser.close();
});

/** A client with a message whose endpoint refused all attempts of both webhooks. */
async function clientWithFailedWebhooks(): Promise<{
  client: TestClient;
  messageId: string;
  deliveryId: string;
}> {
  webhookEndpoint.answer = { status: 503, body: 'closed for today' };
  const client = await newClient({ name, webhookUrl: webhookEndpoint.url });
  const messageId = await client.send({});
  const [{ delivery_id: deliveryId }] = await Promise.all([
    failForGood(messageId, 'sms.delivered'),
    failForGood(messageId, 'sms.sent'),
  ]);
  return { client, messageId, deliveryId };
}

it('signs an administrator in only with the right secret', async () => {
  await page.getByLabel('Client id').fill('client_nobody');
  await page.getByLabel('Client secret').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The client credentials are not valid.', { exact: true }).waitFor();
  await signIn(page);
  expect(dashboard.complaints.filter((line) => !line.includes('401'))).toEqual([]);
});

it('creates a client, whose secrets are shown once and let it send', async () => {
  const own = `Shop of ${randomUUID()}`;
  await signIn(page);
  await show(page, 'clients', 'Clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByLabel('Name').fill(own);
  await page.getByLabel('Webhook URL').fill(webhookEndpoint.url);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const secrets = page.getByRole('dialog', { name: `The secrets of ${own}` });
  const text = await secrets.innerText();
  const clientId = /client_[0-9a-z]{16}/.exec(text)?.[0] ?? '';
  const clientSecret = /cs_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? '';
  await secrets.getByRole('button', { name: 'Copy client secret' }).waitFor();
  await secrets.getByRole('button', { name: 'I have saved them' }).click();
  await show(page, `clients/${clientId}`, own);
  expect(await page.content()).not.toContain(clientSecret);

  const token = await tokenOf(clientId, clientSecret);
  const sent = await call('POST', '/api/v1/sms/send', {
    credential: token,
    body: { to: '+447700900555', message: 'Hello' },
  });
  expect(sent.status).toBe(202);
  expect(sent.headers.get('x-ratelimit-limit')).toBe('60');
});

it('finds a failed webhook, reads every attempt, and sends it again after the endpoint is repaired', async () => {
  const { client, messageId, deliveryId } = await clientWithFailedWebhooks();
  await signIn(page);
  await show(page, 'activity/webhooks', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged after 6 attempts/ }).click();
  await page.getByRole('heading', { name: 'Webhook sms.delivered' }).waitFor();
  await page.getByRole('heading', { name: 'Attempts (6)' }).waitFor();
  await page.getByRole('button', { name: /Attempt 6: not acknowledged/ }).click();
  await page
    .getByRole('region', { name: 'Response body', exact: true })
    .getByText('closed for today')
    .waitFor();
  const body = await page.getByRole('region', { name: 'Body of every attempt' }).innerText();
  expect(JSON.parse(body)).toMatchObject({ event: 'sms.delivered', data: { message_id: messageId } });
  expect(await axeViolations(page)).toEqual([]);

  webhookEndpoint.answer = { status: 200, body: '' };
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  await page.getByRole('heading', { name: 'Attempts (7)' }).waitFor();
  const posted = webhookEndpoint.received.filter(({ headers }) => headers['webhook-id'] === deliveryId);
  expect(posted).toHaveLength(7);
  expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
});

it('limits a client to some countries, and names an entry that is no country', async () => {
  const { clientId } = await newClient({ name });
  await signIn(page);
  await show(page, `clients/${clientId}`, name);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByLabel('Countries').fill('GB, Gaul');
  await save.click();
  await page.getByText('Number 2 must be a two-letter country code such as GB, or one of').first().waitFor();
  await page.getByLabel('Countries').fill('GB, fr');
  await page.getByLabel('Senders').fill('ACME');
  await save.click();
  await page.getByText('Settings saved').waitFor();
  await page.reload();
  await page.getByRole('heading', { name }).waitFor();
  expect(await page.getByLabel('Countries').inputValue()).toBe('GB, FR');
  expect(await page.getByLabel('Senders').inputValue()).toBe('ACME');
  expect(await axeViolations(page)).toEqual([]);

  // What somebody else changes is shown, so that saving does not undo it; what is being edited stays.
  await page.getByLabel('Senders').fill('MINE');
  const credential = await adminToken();
  await call('PATCH', `/admin/api/clients/${clientId}`, { credential, body: { countries: ['DE'] } });
  await page.getByRole('button', { name: 'Refresh' }).first().click();
  await eventually(async () => (await page.getByLabel('Countries').inputValue()) === 'DE' || undefined);
  expect(await page.getByLabel('Senders').inputValue()).toBe('MINE');
});

it('raises a limit in its row, and a response shows the new one', async () => {
  const client = await newClient({ name, limits: 'default' });
  await signIn(page);
  await show(page, `limits/${client.clientId}`, 'Limits');
  await page.getByRole('button', { name: 'Edit row: POST /api/v1/sms/send' }).click();
  await page.getByRole('dialog').getByLabel('Per minute').fill('300');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('The change takes effect within 60 seconds.').first().waitFor();
  // Its first request: no function remembers the limit of before (message-walk holds the 60 seconds).
  const sent = await client.post('/api/v1/sms/send', { to: '+447700900555', message: 'Hello' });
  expect(sent.headers.get('x-ratelimit-limit')).toBe('300');
});

it('shows when the session has ended, and signing out forgets it', async () => {
  await signIn(page);
  await page.getByRole('button', { name: 'Demo admin, account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await signIn(page);
  await page.evaluate(() => {
    for (const key of Object.keys(sessionStorage)) {
      const session = JSON.parse(sessionStorage.getItem(key) ?? '{}');
      sessionStorage.setItem(key, JSON.stringify({ ...session, token: 'ended' }));
    }
  });
  await page.reload();
  await page.getByText('Your session has expired. Sign in again to continue.').waitFor();
});
