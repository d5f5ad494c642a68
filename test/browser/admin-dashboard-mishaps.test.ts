/** The dashboard where something goes wrong: a script that is gone, a secret nearly lost, a filter that names nobody. */
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
import { newClient } from '../support/http/client.ts';

const look: Look = { width: 1440, colorScheme: 'light' };

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  page = (await openDashboard(browser, look)).page;
});

afterEach(async () => {
  await page.close();
});

afterAll(async () => {
  await browser.close();
});

/** As after a deploy: the parts that the open page names are gone. */
const losePartsOfTheScript = () =>
  page.route('**/admin/assets/part-*', (route) => route.fulfill({ status: 404, body: '' }));

it('offers to reload where a page of it cannot be loaded, and keeps the other pages', async () => {
  await signIn(page);
  await page.waitForLoadState('networkidle');
  await losePartsOfTheScript();
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('This page could not be shown').waitFor();
  await photograph(page, 'page-lost', look);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Clients' }).click();
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('This page could not be shown').waitFor();

  await page.unroute('**/admin/assets/part-*');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
});

it('offers to reload where it cannot be loaded after the sign-in, and where it cannot be loaded at all', async () => {
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const first = await page
    .locator('link[rel=modulepreload]')
    .evaluateAll((links) => links.map((link) => (link as unknown as { readonly href: string }).href));
  await page.route('**/admin/assets/part-*', (route) =>
    first.includes(route.request().url()) ? route.continue() : route.fulfill({ status: 404, body: '' }),
  );
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const { client_id, client_secret } = gateway().admin;
  await page.getByLabel('Client id').fill(client_id);
  await page.getByLabel('Client secret').fill(client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This page could not be shown').waitFor();
  await page.getByRole('button', { name: 'Reload' }).waitFor();

  await page.route('**/admin/assets/main-*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  // The page itself has the outlines of the dashboard, until a script replaces them.
  await page.locator('.skeleton').waitFor();
  await page.getByText('The dashboard could not be loaded.').waitFor();
  await photograph(page, 'script-lost', look);
});

it('keeps a new secret on the screen until somebody says that it is saved', async () => {
  const name = `Shop ${randomUUID()}`;
  await signIn(page);
  await show(page, 'clients', 'Clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByLabel('Name').fill(name);
  // A double click, of which the second is sooner than any rendering.
  let created = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/admin/api/clients')) created += 1;
  });
  await page.getByRole('button', { name: 'Create', exact: true }).evaluate((button) => {
    for (let click = 0; click < 2; click += 1) (button as unknown as { click(): void }).click();
  });
  const secrets = page.getByRole('dialog', { name: `The secrets of ${name}` });
  await secrets.waitFor();
  expect(created).toBe(1);
  const shown = /cs_[A-Za-z0-9_-]{43}/.exec(await secrets.innerText())?.[0] ?? 'none';
  const clientId = /client_[0-9a-z]{16}/.exec(await secrets.innerText())?.[0] ?? 'none';

  await page.keyboard.press('Escape');
  await secrets.getByText('To close this, confirm below').waitFor();
  await page.mouse.click(5, 600);
  await secrets.getByRole('button', { name: 'Close', exact: false }).first().click();
  expect(await secrets.innerText()).toContain(shown);
  await photograph(page, 'secret-kept', look);
  expect(await axeViolations(page)).toEqual([]);

  await secrets.getByRole('button', { name: 'I have saved them' }).click();
  await secrets.waitFor({ state: 'hidden' });

  await show(page, `clients/${clientId}?tab=credentials`, name);
  // The key comes when another page is shown, and the session ends then.
  await page.route('**/api-keys', async (route) => {
    const response = await route.fetch();
    await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor();
    await page.route(/admin\/api\/limits\?/, (limits) => limits.fulfill({ status: 401, json: {} }));
    await route.fulfill({ response });
  });
  const ended = page.waitForResponse((response) => response.status() === 401);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('link', { name: 'Limits', exact: true }).first().click();
  const key = page.getByRole('dialog');
  await key.getByText(/sk-/).first().waitFor();
  await page.keyboard.press('Escape');
  await key.getByText(/sk-/).first().waitFor();
  await ended;
  expect(await key.innerText()).toContain('sk-');
  await key.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText('Your session has expired. Sign in again to continue.').waitFor();
});

it('filters by the name of a client, and says where there is none by that name', async () => {
  const name = `Shop ${randomUUID()}`;
  // Limits set in the table are entries of the activity log.
  const { clientId } = await newClient({ name, limits: 'default' });
  await signIn(page);
  for (const [hash, heading, search] of [
    ['activity', 'Activity Logs', false],
    ['messages', 'Messages', true],
  ] as const) {
    await show(page, hash, heading);
    const filter = page.getByLabel('Client', { exact: true });
    await filter.fill(`${name} Ltd`);
    if (search) await page.keyboard.press('Enter');
    await page.getByText(`There is no client ${name} Ltd.`).waitFor();
    await photograph(page, `no-such-client-${heading.toLowerCase().replace(' ', '-')}`, look);
    await filter.fill(name);
    if (search) await page.keyboard.press('Enter');
    await page.getByText(`There is no client ${name} Ltd.`).waitFor({ state: 'hidden' });
    await page.getByText('No matches for these filters').waitFor();
  }
  await show(page, 'limits/client_nobody', 'Limits');
  await page.getByText('There is no such client.').waitFor();
  await show(page, `limits/${clientId}`, 'Limits');
});

it('warns of a limit that another one keeps from being reached', async () => {
  const { clientId } = await newClient({ limits: 'default' });
  await signIn(page);
  await show(page, `limits/${clientId}`, 'Limits');
  await page.getByRole('button', { name: 'Edit row: POST /api/v1/sms/send' }).click();
  await page.getByRole('dialog').getByLabel('Per day').fill('200000');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const warning = page.getByText('the limit of 1,000 per hour allows only 24,000 per day');
  await warning.waitFor();
  await photograph(page, 'limit-never-reached', look);
  expect(await axeViolations(page)).toEqual([]);
  await show(page, 'limits', 'Limits');
  await page.getByText(/^Overrides/).waitFor();
  // The rows of other tests may fill the first pages. While a page is loaded, there is none after it to go to.
  const next = page.getByRole('button', { name: 'Next page' });
  await eventually(async () => {
    const hasNext = (await next.count()) > 0 && (await next.isEnabled());
    if (await warning.first().isVisible()) return true;
    if (hasNext) await next.click();
    return undefined;
  });
});

it('caps spend in a form, with an end and a note, and names what the gateway refuses', async () => {
  const { clientId } = await newClient({ limits: 'default' });
  await signIn(page);
  await show(page, `limits/${clientId}`, 'Limits');
  await page.getByRole('button', { name: 'Edit row: spend' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Per day, in USD').fill('12.5');
  await form.getByRole('textbox', { name: 'Date' }).fill('1970/01/01');
  await form.getByLabel('Note').fill('until the campaign is over');
  await form.getByRole('button', { name: 'Save' }).click();
  await form
    .getByText(/must be a time|not a (valid )?time|ISO 8601/i)
    .first()
    .waitFor();
  await photograph(page, 'limit-row-form', look);
  expect(await axeViolations(page)).toEqual([]);
  await form.getByRole('textbox', { name: 'Date' }).fill('2099/11/30');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await page
    .getByText(/: 12\.5 USD per day\./)
    .first()
    .waitFor();
  await page.getByText('Note: until the campaign is over').waitFor();
  await photograph(page, 'limit-row-saved', look);
  expect(await axeViolations(page)).toEqual([]);
});
