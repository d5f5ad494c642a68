/** The switch between live and test data: each page shows which is on, and has rows of that one only (contract, section 17). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import { axeViolations, type Look, openSignedIn, photograph, show } from '../support/browser/dashboard.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { gateway } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient, type TestClient, withTestKey } from '../support/http/client.ts';

const wide: Look = { width: 1440, colorScheme: 'light' };
const narrow: Look = { width: 390, colorScheme: 'dark' };
const name = `Mode shop ${randomUUID().slice(0, 8)}`;

let browser: Browser;
let live: TestClient;
let test: TestClient;
let ofLive: string;
let ofTest: string;
const person = freshNumber();

beforeAll(async () => {
  browser = await startBrowser();
  live = await newClient({ name });
  test = await withTestKey(live);
  ofLive = await live.send({ to: person, message: 'For the person', reference: '\u202eevil' });
  ofTest = await test.send({ to: person, message: 'For nobody' });
  await Promise.all([live.statusOnce(ofLive, 'delivered'), test.statusOnce(ofTest, 'delivered')]);
});

afterAll(async () => {
  await browser.close();
});

const notice = (page: Page) => page.getByText('These are the data of test keys');

async function switchTo(page: Page, mode: 'Live data' | 'Test data'): Promise<void> {
  const now = mode === 'Test data' ? 'Live data' : 'Test data';
  await page.getByRole('button', { name: `${now}, change` }).click();
  await page.getByRole('menuitem', { name: mode, exact: true }).click();
}

it('switches every page between live and test data, in the address too', async () => {
  const page = await openSignedIn(browser, wide);
  await show(page, `messages?client_id=${live.clientId}`, 'Messages');
  await page.getByRole('link', { name: ofLive }).waitFor();
  // It would be read as `live`.
  await page.getByText(String.raw`\u202eevil`).waitFor();
  expect(await page.getByRole('link', { name: ofTest }).count()).toBe(0);
  expect(await notice(page).count()).toBe(0);

  await switchTo(page, 'Test data');
  await notice(page).waitFor();
  expect(page.url()).toContain('#/test/messages');
  await page.getByRole('link', { name: ofTest }).waitFor();
  expect(await page.getByRole('link', { name: ofLive }).count()).toBe(0);
  expect(await page.title()).toBe('Messages – Messaging gateway (test data)');

  // A link, a reload and Back stay in the mode that they are of.
  await page.getByRole('link', { name: ofTest }).click();
  await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor();
  await page.reload();
  await page.getByText(person).first().waitFor();
  await notice(page).waitFor();
  await page
    .getByRole('link', { name: `${name} (test)` })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Show live data' }).click();
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
  await notice(page).waitFor({ state: 'detached' });
  // Newer messages of other tests may hide those of this one.
  expect(new URL(page.url()).hash).toBe('#/messages');
  await page.goBack();
  await notice(page).waitFor();
  await page.context().close();
});

it('shows and changes the test data of a client', async () => {
  const page = await openSignedIn(browser, wide);
  await show(page, 'test/clients', 'Clients');
  await page.getByRole('link', { name: `${name} (test)` }).click();
  await page.getByRole('heading', { name: `${name} (test)`, level: 1 }).waitFor();
  await page.getByRole('tab', { name: 'Credentials' }).click();
  await page.getByRole('button', { name: 'Create API key' }).click();
  const key = page.getByRole('dialog').getByText(/^sk-test-/);
  await key.waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();

  await show(page, `test/outbox?client_id=${test.clientId}`, 'Outbox');
  await page.getByText('For nobody').waitFor();
  expect(await page.getByText('For the person').count()).toBe(0);
  await show(page, `test/messages?recipient=${encodeURIComponent(person)}`, 'Messages');
  await page.getByRole('link', { name: ofTest }).waitFor();
  expect(await page.getByRole('link', { name: ofLive }).count()).toBe(0);
  const reply = { from: person, text: 'Thanks', mode: 'test' };
  expect(
    (await call('POST', '/admin/api/inbound', { credential: await adminToken(), body: reply })).status,
  ).toBe(200);
  await page
    .getByRole('row')
    .filter({ hasText: `From ${person}` })
    .getByText('Thanks')
    .waitFor();
  const inbound = await test.call('GET', '/api/v1/messages?direction=inbound');
  expect(inbound.body.messages).toMatchObject([{ text: 'Thanks', mode: 'test' }]);
  await page.context().close();
});

it('settings of both modes, and the way to the test keys of a client, are named', async () => {
  const page = await openSignedIn(browser, wide);
  for (const [hash, heading] of [
    ['test/limits', 'Limits'],
    ['test/senders', 'Senders'],
  ] as const) {
    await show(page, hash, heading);
    await page.getByText('These settings apply to live and test data alike.').waitFor();
  }
  await show(page, 'test/clients', 'Clients');
  expect(await page.getByRole('button', { name: 'Create client' }).count()).toBe(0);
  await show(page, `clients/${live.clientId}?tab=credentials`, name);
  await page.getByRole('link', { name: 'Test keys of this client' }).click();
  await page.getByRole('heading', { name: `${name} (test)`, level: 1 }).waitFor();
  await notice(page).waitFor();
  await page.context().close();
});

it('data of one mode is never shown as the other one', async () => {
  const page = await openSignedIn(browser, wide);
  for (const [hash, heading, mode] of [
    [`test/messages/${ofLive}`, 'Message', 'live'],
    [`messages/${ofTest}`, 'Message', 'test'],
    [`test/clients/${live.clientId}`, name, 'live'],
  ] as const) {
    await page.goto(`${gateway().base_url}/admin#/${hash}`);
    await page.getByText(`This is ${mode} data: the dashboard shows ${mode} data now.`).last().waitFor();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/${mode === 'test' ? 'test/' : ''}${hash.replace('test/', '')}`);
    expect(await notice(page).count()).toBe(mode === 'test' ? 1 : 0);
  }
  await page.context().close();
});

it('a search leads to what it found in the mode of that, and says so', async () => {
  const page = await openSignedIn(browser, wide);
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(ofTest);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor();
  await notice(page).waitFor();
  await page.getByText('This is test data: the dashboard shows test data now.').waitFor();
  await page.context().close();
});

it.each([wide, { ...wide, colorScheme: 'dark' }, { ...narrow, colorScheme: 'light' }, narrow] as const)(
  'says which mode is on at %o, without a finding of axe',
  async (look) => {
    const page = await openSignedIn(browser, look);
    const found: string[] = [];
    for (const [view, hash, heading] of [
      ['mode-live', 'messages', 'Messages'],
      ['mode-test', 'test/messages', 'Messages'],
      ['mode-test-overview', 'test/overview', 'Overview'],
      ['mode-test-outbox', 'test/outbox', 'Outbox'],
      ['mode-test-client', `test/clients/${test.clientId}`, `${name} (test)`],
    ] as const) {
      await show(page, hash, heading);
      await photograph(page, view, look);
      expect(await notice(page).count()).toBe(view === 'mode-live' ? 0 : 1);
      found.push(...(await axeViolations(page)));
    }
    expect(found).toEqual([]);
    await page.context().close();
  },
);
