/** The pages of the documentation in a real browser: whole at any width, accessible, nothing blocked, no broken link. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { textOf } from '../../../lib/build/docs/html.ts';
import { sitePages } from '../../../lib/build/docs/site.ts';
import { quickStartOf } from '../../../lib/local/welcome.ts';
import { startBrowser } from '../../support/browser/browser.ts';
import { routeServed } from '../../support/browser/routes.ts';
import { served } from '../../support/docs/served.ts';
import { gateway, waitMaxSeconds } from '../../support/gateway/gateway.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pages = Object.values(sitePages).map(({ path }) => path);
const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** A browser's window that gets what the gateway serves, each page asked for once. */
async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: wide, ...options });
  context.setDefaultTimeout(waitMaxSeconds * 1000);
  await routeServed(context, '**/*');
  return context;
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await newContext(options)).newPage();
  await page.goto(`${gateway().base_url}${path}`);
  return page;
}

/** What axe finds. @param rules - all by default */
function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules === undefined ? {} : { runOnly: rules };
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
  );
}

describe.each(pages)('the page at %s', (path) => {
  it.each([wide, phone])(
    'is whole and accessible at $width px in either scheme: no side-scrolling, nothing blocked, nothing from elsewhere',
    async (viewport) => {
      const context = await newContext({ viewport, colorScheme: 'light' });
      const page = await context.newPage();
      const complaints: string[] = [];
      const asked: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`${gateway().base_url}${path}`, { waitUntil: 'networkidle' });
      const seen = await page.evaluate(`({
        wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        styled: getComputedStyle(document.body).margin === '0px',
        // The name, the search and the button of the contents are above it.
        contentFrom: document.querySelector('h1').getBoundingClientRect().top < 200,
      })`);
      expect({ seen, complaints }).toEqual({
        seen: { wider: 0, styled: true, contentFrom: true },
        complaints: [],
      });
      const own = asked.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).pathname);
      expect(own).toEqual([path]);
      await page.evaluate(axe);
      const light = await faultsOf(page);
      // Only the colors differ.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect({ light, dark: await faultsOf(page, ['color-contrast']) }).toEqual({ light: [], dark: [] });
      await context.close();
    },
  );

  it('is not scrolled sideways at 320 px, and is printed whole: folded parts open, no code clipped', async () => {
    const page = await open(path, { viewport: { width: 320, height: 640 }, javaScriptEnabled: false });
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wider)).toBe(0);
    await page.emulateMedia({ media: 'print' });
    const lost = await page.evaluate(`({
      wider: ${wider},
      folded: [...document.querySelectorAll('details > :not(summary)')].filter((part) => !part.checkVisibility({ contentVisibilityAuto: true })).length,
      clipped: [...document.querySelectorAll('pre')].filter((code) => code.scrollWidth > code.clientWidth).length,
      chrome: [...document.querySelectorAll('header, nav')].filter((part) => part.checkVisibility()).length,
    })`);
    expect(lost).toEqual({ wider: 0, folded: 0, clipped: 0, chrome: 0 });
    await page.context().close();
  });

  it('has no link that leads nowhere', async () => {
    const { body } = await served(`${gateway().base_url}${path}`);
    const links = [
      ...new Set(Array.from(body.matchAll(/ href="([^"]*)"/g), ([, link = '']) => textOf({ html: link }))),
    ]
      .map((link) => new URL(link, `${gateway().base_url}${path}`))
      .filter(({ origin }) => origin === gateway().base_url);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect([link.href, await leadsSomewhere(link)]).toEqual([link.href, true]);
  });
});

it('a sample is read without scripts: the first is open, the others open on a click', async () => {
  const page = await open('/docs/reference', { javaScriptEnabled: false });
  const samples = page.locator('.samples').first();
  expect(await samples.locator('pre').first().isVisible()).toBe(true);
  expect(await samples.locator('pre').last().isVisible()).toBe(false);
  await samples.locator('summary').last().click();
  expect(await samples.locator('pre').last().isVisible()).toBe(true);
  await page.context().close();
});

async function leadsSomewhere({ origin, pathname, hash }: URL): Promise<boolean> {
  const { status, body } = await served(`${origin}${pathname}`);
  return status === 200 && (hash === '' || body.includes(`id="${decodeURIComponent(hash.slice(1))}"`));
}

describe('a reader', () => {
  it('finds operations, fields, error codes and pages with only the keyboard', async () => {
    const page = await open('/docs/errors');
    const search = async (words: string): Promise<string | null> => {
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      const [, address = ''] =
        /href="([^"]*)/.exec(await page.locator('#results li').first().innerHTML()) ?? [];
      return address;
    };
    expect(await search('sms/bulk')).toBe('../docs/reference#sendBulkSms');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await search('otp_expired')).toBe('../docs/errors#otp_expired');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await search('validity_period')).toBe('../docs/reference#sendSms.validity_period');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/reference#sendSms.validity_period');
    await page.context().close();
  });

  it('finds what a page says by any of its words, and sees them in the result', async () => {
    const page = await open('/docs', { viewport: phone });
    await page.getByRole('searchbox').fill('429');
    const result = page.locator('#results li').first();
    await result.getByText('A rate limit is used up.').waitFor();
    await page.evaluate(axe);
    expect(await faultsOf(page)).toEqual([]);
    await result.getByRole('link').click();
    await page.waitForURL('**/docs/errors#rate_limit_exceeded');
    await page.context().close();
  });

  it('chooses a language once for all samples and pages, and copies what is shown', async () => {
    const context = await newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(`${gateway().base_url}/docs/reference`);
    const shown = (): Promise<string[]> =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('.sample')].filter((one) => one.offsetParent !== null).map((one) => one.dataset.language))]`,
      );
    expect(await shown()).toEqual(['curl']);
    await page.getByRole('button', { name: 'Python' }).first().click();
    expect(await shown()).toEqual(['python']);
    await page.goto(`${gateway().base_url}/docs/webhooks`);
    expect(await shown()).toEqual(['python']);
    await page.getByRole('button', { name: 'Copy: Endpoint in Python' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe((await served(`${gateway().base_url}/docs/verify.py`)).body.trimEnd());
    await context.close();
  });

  it('has the demo client’s test key in the commands only at the address of `npm start`, and keeps others in the tab', async () => {
    const { test_api_key, webhook_secret, ...live } = gateway();
    const context = await newContext();
    const page = await context.newPage();
    const commands = (): Promise<string> =>
      page.evaluate<string>('document.querySelector("main").textContent');
    const link = new URL(quickStartOf(gateway()));
    await page.goto(link.href.replace(link.hash, ''), { waitUntil: 'networkidle' });
    for (const credential of [test_api_key, webhook_secret])
      expect(await commands()).not.toContain(credential);
    const foreign = `test_api_key=$(id)&webhook_secret='`;
    for (const hash of [`#${foreign}`, `${link.hash}%27;id`, '#test_api_key=a']) {
      await page.goto('about:blank');
      await page.goto(link.href.replace(link.hash, hash), { waitUntil: 'networkidle' });
      expect(await commands()).toContain('YOUR_TEST_API_KEY');
    }
    await page.goto('about:blank');
    await page.goto(link.href, { waitUntil: 'networkidle' });
    for (const credential of [test_api_key, webhook_secret])
      expect(await commands()).toContain(`'${credential}'`);
    for (const credential of [live.client_id, live.client_secret, live.api_key])
      expect(await commands()).not.toContain(credential);
    expect(new URL(page.url()).hash).toBe('');
    await page.getByLabel('Test API key').fill("o'neill");
    await page.reload({ waitUntil: 'networkidle' });
    expect(await commands()).toContain(`TOKEN='o'\\''neill'`);
    const other = await context.newPage();
    await other.goto(`${gateway().base_url}/docs`, { waitUntil: 'networkidle' });
    expect(await other.evaluate<string>('document.querySelector("main").textContent')).not.toContain('neill');
    await context.close();
  });

  it('finds what changed in the API of each release apart from the rest, with the date of the release', async () => {
    const page = await open('/docs/changelog');
    const contents = page.getByRole('navigation');
    const last = await page
      .getByRole('heading', { level: 2, name: /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/ })
      .innerText();
    await contents.getByRole('link', { name: 'API: added' }).last().click();
    expect(new URL(page.url()).hash).toBe(`#${last.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-')}.api-added`);
    const titles = await page
      .getByRole('heading', { level: 3, name: /^(API: )?(added|changed|fixed)$/i })
      .allInnerTexts();
    const [first, ...others] = titles;
    expect(first).toBe('API: added');
    expect(others).toContain('Added');
    await page.context().close();
  });

  it('on a phone opens the contents by a button, and is at the chosen place afterwards', async () => {
    const page = await open('/docs/reference', { viewport: phone });
    const contents = page.getByRole('navigation');
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await contents.getByRole('link', { name: 'Send an SMS', exact: true }).click();
    expect(await contents.isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe('#sendSms');
    await page.context().close();
  });
});
