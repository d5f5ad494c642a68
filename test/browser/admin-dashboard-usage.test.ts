/** What the dashboard shows of a client's usage and of its limits is what it sent and what a person set. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import { inEachLook, openDashboard, show, signIn } from '../support/browser/dashboard.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { call, newClient, type TestClient, tokenOf } from '../support/http/client.ts';

/** The simulator refuses it at hand-over. */
const refused = '+15005550001';
/** Among the top senders whatever else the run has sent. */
const sent = { delivered: 24, refused: 8 };
const all = sent.delivered + sent.refused;
const waits = { everyMilliseconds: 1000 };

const name = `Shop of ${randomUUID()}`;

let browser: Browser;
let page: Page;
let token: string;
let sender: { readonly day: string; readonly client: TestClient } | undefined;

beforeAll(async () => {
  browser = await startBrowser();
  const { client_id, client_secret } = gateway().admin;
  token = await tokenOf(client_id, client_secret);
});

async function sendAll(): Promise<TestClient> {
  const client = await newClient({ name });
  // One of its two segments is avoidable.
  await client.send({ message: `It’s ${'x'.repeat(70)}` });
  for (let count = 1; count < sent.delivered; count += 1) await client.send({});
  for (let count = 0; count < sent.refused; count += 1) await client.send({ to: refused });
  await eventually(async () => {
    const path = `/admin/api/usage/messages?interval=month&client_id=${client.clientId}`;
    const { body } = await call('GET', path, { credential: token });
    const [entry] = body.usage as { delivered: number; failed: number }[];
    return entry?.delivered === sent.delivered && entry.failed === sent.refused ? true : undefined;
  }, waits);
  return client;
}

/** The pages show this day, week or month: a test is done again, of another client, where the day ended meanwhile. */
const withinOneDay = (test: (client: TestClient) => Promise<void>) => () =>
  withinOne('day', async (day) => {
    if (sender?.day !== day.name) sender = { day: day.name, client: await sendAll() };
    await test(sender.client);
  });

beforeEach(async () => {
  page = (await openDashboard(browser, { width: 1280, colorScheme: 'light' })).page;
  await signIn(page);
});

afterEach(async () => {
  await page.close();
});

afterAll(async () => {
  await browser.close();
});

it(
  'shows the usage of a client, with a link to its messages',
  withinOneDay(async (client) => {
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'This week' }).click();
    await page.waitForURL(/period=week/);
    const row = page.getByRole('row').filter({ hasText: client.clientId });
    await row.waitFor();
    const avoidable = String.raw`1 \(USD 0\.0042\)`;
    expect(await row.innerText()).toMatch(
      new RegExp(String.raw`${all}\s+75 %\s+${sent.refused}\s+${avoidable}\s+USD 0\.`),
    );
    await page.getByText('Avoidable SMS segments').waitFor();
    await page
      .getByRole('row', { name: /carrier|invalid_recipient|unreachable|unknown/ })
      .first()
      .waitFor();
    await page.getByText('SMS', { exact: true }).first().waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    expect(page.url()).toContain(`client_id=${client.clientId}`);
  }),
);

it(
  'saves usage as CSV, by the month of an invoice or by day, with the names of clients',
  withinOneDay(async (client) => {
    for (const period of ['today', 'month']) {
      await show(page, `usage?period=${period}&by=client`, 'Usage');
      const started = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV', exact: true }).click();
      const download = await started;
      expect(download.suggestedFilename()).toBe(`usage-${period}-client.csv`);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(lines[0]).toMatch(
        /^from,to,client_id,client_name,.*,messages,segments,avoidable_segments,avoidable_cost,delivered,failed,cost,currency,estimated$/,
      );
      const mine = lines.filter((line) => line.includes(client.clientId)).map((line) => line.split(','));
      const sumOf = (column: number): number => mine.reduce((sum, cells) => sum + Number(cells[column]), 0);
      expect([8, 12, 13].map(sumOf)).toEqual([all, sent.delivered, sent.refused]);
      expect(mine.every((cells) => cells[3] !== '')).toBe(true);
    }
  }),
);

it(
  'shows the limits of a client, what is used and what its rows say',
  withinOneDay(async (client) => {
    const path = `/admin/api/clients/${client.clientId}/limits`;
    const set = (body: object) => call('PATCH', path, { credential: token, body });
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const bulk = 'POST /api/v1/sms/bulk';
    const responses = [
      // Clients of tests have rows with high limits.
      await call('POST', `${path}/remove`, { credential: token, body: { endpoint: bulk } }),
      await set({
        endpoint: 'POST /api/v1/sms/send',
        per_minute: 600,
        per_hour: null,
        per_day: null,
        expires_at: expiresAt,
      }),
      await set({ endpoint: 'POST /api/v1/otp/send', blocked: true }),
      await set({ endpoint: 'spend', per_day: 250.5 }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await show(page, `clients/${client.clientId}?tab=limits`, name);
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await row('POST /api/v1/sms/send')
      .getByText(/^Active since .*600 per minute/)
      .waitFor();
    await row('POST /api/v1/sms/send')
      .getByText(/of 600$/)
      .waitFor();
    await row('POST /api/v1/sms/send').getByText(`${all} of 10,000`, { exact: true }).waitFor();
    expect(await row('POST /api/v1/otp/send').innerText()).toContain('blocked');
    expect(await row('Spend (cap)').innerText()).toMatch(/of 250\.5 USD/);
    expect(await row(bulk).innerText()).toMatch(/0 of 10\s/);
    await row('Spend (cap)').getByText('active', { exact: true }).waitFor();
  }),
);

it(
  'the limits of a client and the top senders are well in each look',
  withinOneDay(async (client) => {
    const opened = await openDashboard(browser, { width: 1280, colorScheme: 'light' });
    await signIn(opened.page);
    await show(opened.page, `clients/${client.clientId}?tab=limits`, name);
    const found = await inEachLook(opened.page, 'client-limits-in-force');
    await show(opened.page, 'usage?by=client', 'Usage');
    await scrollTo(opened.page, 'Top clients');
    found.push(...(await inEachLook(opened.page, 'usage-senders')));
    await opened.page.close();
    expect(found).toEqual([]);
    expect(opened.complaints).toEqual([]);
  }),
);

async function scrollTo(page: Page, heading: string): Promise<void> {
  await page
    .getByRole('heading', { name: heading, exact: true })
    .evaluate((element) => element.scrollIntoView());
}
