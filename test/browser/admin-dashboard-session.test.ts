/** A sign-in lasts an hour in one tab, and the secret is in none of the browser's stores. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page, Response } from 'playwright-core';
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

const look: Look = { width: 1280, colorScheme: 'light' };
const minutes = 60_000;

let browser: Browser;
let page: Page;
let tokenRequests: string[];

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  page = (await openDashboard(browser, look)).page;
  tokenRequests = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/token')) tokenRequests.push(request.url());
  });
});

afterEach(async () => {
  await page.context().close();
});

afterAll(async () => {
  await browser.close();
});

/** Signs in on a page whose clock can be moved. The gateway's clock stays: its tokens remain valid. */
async function signInWithClock(): Promise<void> {
  await page.clock.install({ time: new Date() });
  await page.reload();
  await signIn(page);
}

const stored = (of: Page): Promise<string> =>
  of.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));

it('lasts an hour, with a warning, also after a reload, and the secret is not stored', async () => {
  await signInWithClock();
  expect(await stored(page)).not.toContain(gateway().admin.client_secret);
  await show(page, 'clients', 'Clients');
  await page.reload();
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  await page.clock.fastForward(56 * minutes);
  await page.getByText(/^Your session ends at/).waitFor();
  await photograph(page, 'session-warning', look);
  expect(await axeViolations(page)).toEqual([]);
  await page.clock.fastForward(5 * minutes);
  await page.getByText('Your session has expired. Sign in again to continue.').waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  expect(tokenRequests).toHaveLength(1);
});

it('is of one tab, and ends with the sign-out', async () => {
  await signIn(page);
  const other = await page.context().newPage();
  await other.goto(`${gateway().base_url}/admin#/clients`);
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'Demo admin, account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
});

/** The scripts beyond those that the page itself names, each with all that it imports. */
async function scriptsLoaded(): Promise<void> {
  const named = await page.locator('link[rel=modulepreload]').count();
  const parts =
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/part-'))";
  await eventually(async () => ((await page.evaluate<number>(`${parts}.length`)) > named ? true : undefined));
  await page.evaluate(`Promise.all(${parts}.map((name) => import(name))).then(() => undefined)`);
}

it('shows its first rows after two responses of less than 20 KB together: the token, and the rows', async () => {
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await scriptsLoaded();
  const [asked, responses]: [string[], Response[]] = [[], []];
  let askedBefore: readonly string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  page.on('response', (response) => {
    responses.push(response);
    if (response.url().includes('/usage/messages')) askedBefore = [...asked];
  });
  const rows = page.waitForResponse(/\/usage\/messages/);
  await signIn(page);
  await rows;
  // No script, and nothing that waits for another response than the token's.
  expect(askedBefore.filter((path) => !path.startsWith('/admin/api/'))).toEqual(['/api/v1/auth/token']);
  // The first of each: the page refreshes its rows.
  const needed = ['/auth/token', '/usage/messages'].map((path) =>
    responses.find((answer) => answer.url().includes(path)),
  );
  const sizes = await Promise.all(needed.map(async (answer) => (await answer?.body())?.length ?? 0));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20_000);
});
