/** A reader sends requests of its own from the reference, and sees the answer beside the webhooks that follow from it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser/browser.ts';
import { photograph } from '../../support/browser/dashboard.ts';
import { routeServed } from '../../support/browser/routes.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { gateway, waitMaxSeconds } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { startRecoveringWebhookEndpoint } from '../../support/webhook/recovering-endpoint.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

async function openReference(width: number): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: 'light' });
  context.setDefaultTimeout(waitMaxSeconds * 1000);
  await routeServed(context, '**/docs/**');
  const page = await context.newPage();
  const complaints: string[] = [];
  // What the gateway refuses is an error of the console, too.
  page.on('console', (line) => {
    if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${gateway().base_url}/docs/reference`);
  return { page, complaints };
}

async function expectWell({ page, complaints }: Opened): Promise<void> {
  await page.evaluate(axe);
  const faults = await page.evaluate<string[]>(
    "axe.run('details.try[open]').then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
  );
  const wider = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect({ faults, wider, complaints }).toEqual({ faults: [], wider: 0, complaints: [] });
}

it.each([1440, 390])('sends a message, and shows its webhooks beside the answer, at %i px', async (width) => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 200, body: '' };
  const client = await newClient({ webhookUrl: endpoint.url });
  const opened = await openReference(width);
  const { page } = opened;
  const console = page.locator('details.try').filter({ hasText: 'Try it: Send an SMS' }).first();
  await console.locator('summary').focus();
  await page.keyboard.press('Enter');
  await console.getByRole('textbox', { name: 'Body' }).waitFor();
  // With the keyboard only.
  for (const text of [client.clientId, client.clientSecret]) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(text);
  }
  await expectWell(opened);
  const to = freshNumber();
  await console
    .getByRole('textbox', { name: 'Body' })
    .fill(JSON.stringify({ to, message: 'From the console' }));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const answer = console.getByRole('group', { name: 'The answer', exact: true });
  await answer.getByRole('heading', { name: /^202 .*in \d+ ms$/ }).waitFor();
  await answer.getByText('x-ratelimit-remaining').waitFor();
  const webhooks = console.getByRole('group', { name: 'The message and its webhooks' });
  await webhooks.getByText('The message is delivered').waitFor();
  await webhooks.getByText('sms.delivered acknowledged').waitFor();
  for (const event of ['sms.sent', 'sms.delivered'])
    await webhooks.getByLabel(`Body of ${event}`).getByText(to).waitFor();
  const [left, right] = [await answer.boundingBox(), await webhooks.boundingBox()];
  if (width > 1000) expect(left?.y).toBe(right?.y);
  await console.scrollIntoViewIfNeeded();
  await photograph(page, 'try-it', { width, colorScheme: 'light' });
  await expectWell(opened);
  await page.context().close();
});

it('shows what the gateway refuses, credentials too, and keeps them in the tab for the next operation', async () => {
  const client = await newClient();
  const opened = await openReference(1440);
  const { page } = opened;
  const open = async (title: string) => {
    const console = page
      .locator('details.try')
      .filter({ hasText: `Try it: ${title}` })
      .first();
    await console.locator('summary').click();
    return console;
  };
  const sms = await open('Send an SMS');
  await sms.getByLabel(/^Client secret/).fill('cs_of-nobody');
  await sms.getByLabel(/^Client id/).fill(client.clientId);
  await sms.getByRole('button', { name: 'Send' }).click();
  await sms.getByRole('heading', { name: /^No access token: 401/ }).waitFor();
  await sms.getByLabel(/^Client secret/).fill(client.clientSecret);
  await sms.getByRole('textbox', { name: 'Body' }).fill('{"to": 5}');
  await sms.getByRole('button', { name: 'Send' }).click();
  await sms.getByRole('heading', { name: /^400/ }).waitFor();
  const refusal = sms.getByLabel('Body of the answer');
  // The first fault, and where it is explained.
  await refusal.getByText(/"message": "(to|message): /).waitFor();
  await refusal.getByText('/docs/errors#invalid_request').waitFor();
  const account = await open('Show the account');
  await account.getByRole('button', { name: 'Send' }).click();
  await account.getByLabel('Body of the answer').getByText(client.clientId).waitFor();
  // A message without a destination is followed all the same.
  await sms
    .getByRole('textbox', { name: 'Body' })
    .fill(JSON.stringify({ to: freshNumber(), message: 'Nowhere', send_at: 'x' }));
  await sms.getByRole('button', { name: 'Send' }).click();
  await sms.getByText('It has no webhooks').waitFor();
  await sms.getByText('x-unknown-fields').waitFor();
  await expectWell(opened);
  await page.context().close();
});
