/** The documentation in a real browser: whole at any width, accessible, nothing blocked, nothing from elsewhere. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { guideNames } from '../../../lib/build/docs/guides.ts';
import { quickStartOf } from '../../../lib/local/welcome.ts';
import { startBrowser } from '../../support/browser/browser.ts';
import { axeViolations, photograph } from '../../support/browser/dashboard.ts';
import { routeServed } from '../../support/browser/routes.ts';
import { served } from '../../support/docs/served.ts';
import { eventually, gateway, waitMaxSeconds } from '../../support/gateway/gateway.ts';
import { newClient, withTestKey } from '../../support/http/client.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** The paths that the page asked for. */
  readonly asked: readonly string[];
}

/** A window that gets what the gateway serves, each file asked for once. */
async function open(address: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const usual: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' };
  const context = await browser.newContext({ ...usual, ...options });
  context.setDefaultTimeout(waitMaxSeconds * 1000);
  await routeServed(context, '**/docs/**');
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(new URL(address, gateway().base_url).href, { waitUntil: 'networkidle' });
  return { page, complaints, asked };
}

/** Without "moderate" ones of Scalar: while a request is tried, the page has two main landmarks. */
async function seriousViolations(page: Page): Promise<string[]> {
  return (await axeViolations(page)).filter((line) => !line.startsWith('landmark-'));
}

async function isWhole(
  { page, complaints }: Opened,
  name: string,
  widths: readonly number[] = [1280, 390],
): Promise<void> {
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await photograph(page, name, { width, colorScheme });
      const wider = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      let serious: readonly string[] = [];
      // Scalar changes colors and shows its progress gradually.
      await eventually(async () => {
        serious = await seriousViolations(page);
        return serious.length === 0 || undefined;
      }).catch(() => undefined);
      expect({ name, width, colorScheme, wider, serious, complaints }).toEqual({
        name,
        width,
        colorScheme,
        wider: 0,
        serious: [],
        complaints: [],
      });
    }
  }
}

describe.each(guideNames)('the guide %s', (name) => {
  it('is whole and accessible in each look, and asks for nothing else', async () => {
    const opened = await open(`/docs/${name}`);
    await isWhole(opened, name);
    expect(opened.asked).toEqual([`/docs/${name}`]);
    await opened.page.context().close();
  });

  it('is readable without scripts, and not scrolled sideways at 320 px', async () => {
    const { page } = await open(`/docs/${name}`, {
      viewport: { width: 320, height: 640 },
      javaScriptEnabled: false,
    });
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wider)).toBe(0);
    await page.context().close();
  });
});

describe('the API reference', () => {
  it('is whole and accessible in each look, and asks for nothing elsewhere', async () => {
    const opened = await open('/docs/reference');
    await opened.page.getByRole('heading', { name: 'Requests and responses' }).waitFor();
    await isWhole(opened, 'reference');
    expect(opened.asked).toEqual([
      '/docs/reference',
      expect.stringMatching(/^\/docs\/scalar\.\w+\.js$/),
      '/openapi.json',
    ]);
    await opened.page.context().close();
  });

  it.each([1280, 390])(
    'sends a message with the test key of the quick start, by keyboard, at %i px',
    async (width) => {
      const client = await withTestKey(await newClient());
      const hash = new URLSearchParams({ test_api_key: client.apiKey, webhook_secret: client.webhookSecret });
      const opened = await open(`/docs/quick-start#${hash}`, { viewport: { width, height: 844 } });
      const { page } = opened;
      await page.goto(`${gateway().base_url}/docs/reference#tag/sending/sendSms`);
      const sendSms = page.getByRole('button', { name: /Test Request.*sms\/send\)/ }).first();
      await sendSms.focus();
      await page.keyboard.press('Enter');
      const form = page.getByRole('dialog');
      await form.getByText('Your parcel arrives today').waitFor();
      await page.keyboard.press('Control+Enter');
      await form.getByText('202 Accepted').first().waitFor();
      await isWhole(opened, 'try-it', [width]);
      const { body } = await client.call('GET', '/api/v1/messages');
      expect(body.messages).toMatchObject([{ reference: 'order-42' }]);
      await page.context().close();
    },
  );
});

describe('a reader', () => {
  it('chooses a language once for all guides, and copies what is shown', async () => {
    const { page } = await open('/docs/quick-start');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Python' }).first().click();
    await page.goto(`${gateway().base_url}/docs/webhooks`);
    const shown = page.locator('figure:visible').filter({ hasText: 'BaseHTTPRequestHandler' });
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe((await served(`${gateway().base_url}/docs/verify.py`)).body.trimEnd());
    expect(await page.locator('figure:visible').count()).toBe(1);
    await page.context().close();
  });

  it('has the demo client’s test key in the commands only at the address of `npm start`, in this tab', async () => {
    const { test_api_key, webhook_secret, ...live } = gateway();
    const link = new URL(quickStartOf(gateway()));
    const { page } = await open(link.pathname);
    const commands = (): Promise<string> =>
      page.evaluate<string>('document.querySelector("main").textContent');
    for (const hash of [
      '',
      `#test_api_key=$(id)&webhook_secret='`,
      `${link.hash}%27;id`,
      '#test_api_key=a',
    ]) {
      await page.goto('about:blank');
      await page.goto(link.href.replace(link.hash, hash), { waitUntil: 'networkidle' });
      expect(await commands()).toContain("TOKEN='YOUR_TEST_API_KEY'");
    }
    await page.goto('about:blank');
    await page.goto(link.href, { waitUntil: 'networkidle' });
    for (const credential of [test_api_key, webhook_secret])
      expect(await commands()).toContain(`'${credential}'`);
    for (const credential of [live.client_id, live.client_secret, live.api_key])
      expect(await commands()).not.toContain(credential);
    expect(new URL(page.url()).hash).toBe('');
    await page.reload({ waitUntil: 'networkidle' });
    expect(await commands()).toContain(test_api_key);
    const other = await page.context().newPage();
    await other.goto(`${gateway().base_url}/docs/quick-start`, { waitUntil: 'networkidle' });
    expect(await other.evaluate<string>('document.querySelector("main").textContent')).not.toContain(
      test_api_key,
    );
    await page.context().close();
  });
});
