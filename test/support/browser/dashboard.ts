/** The dashboard in a browser: signing in, the browser's errors, and axe's findings for a page. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { gateway, waitMaxSeconds } from '../gateway/gateway.ts';
import { routeServed } from './routes.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for the screenshots that `SCREENSHOTS=1` takes, to look at after a run. It is not committed. */
const screenshots = join(import.meta.dirname, '..', '..', '..', '.local', 'test', 'screenshots');
const isPhotographed = process.env.SCREENSHOTS === '1';

export interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** The looks in which every page has to be well; the first is the usual one. */
const looks: readonly Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

export interface OpenDashboard {
  readonly page: Page;
  /** Errors in the browser's console, refusals by the content security policy among them. */
  readonly complaints: readonly string[];
}

function viewportOf({ width }: Look): { width: number; height: number } {
  return { width, height: width < 600 ? 844 : 900 };
}

/**
 * A page with a session of its own: tabs of one context share a session.
 *
 * @param session - what the dashboard keeps in the session storage of a signed-in tab, its key and value
 */
export async function openDashboard(
  browser: Browser,
  look: Look,
  session?: readonly [string, string],
  locale = 'en-US',
): Promise<OpenDashboard> {
  const context = await browser.newContext({
    viewport: viewportOf(look),
    colorScheme: look.colorScheme,
    locale,
    // Animations would be photographed half way.
    reducedMotion: 'reduce',
  });
  // They are counted by source address, which is one for all tests.
  await routeServed(context, '**/admin/assets/**');
  // Of every page of the context.
  context.setDefaultTimeout(waitMaxSeconds * 1000);
  const page = await context.newPage();
  if (session !== undefined) {
    await page.addInitScript(([key, value]) => sessionStorage.setItem(key, value), session);
  }
  const complaints: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${gateway().base_url}/admin`);
  return { page, complaints };
}

export async function signIn(page: Page): Promise<void> {
  const { client_id, client_secret } = gateway().admin;
  await page.getByLabel('Client id').fill(client_id);
  await page.getByLabel('Client secret').fill(client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

let firstSession: [string, string] | undefined;

/** A page in a context of its own that is signed in: the first one of a file by the form, the others by its session. */
export async function openSignedIn(browser: Browser, look: Look): Promise<Page> {
  const { page } = await openDashboard(browser, look, firstSession);
  if (firstSession === undefined) {
    await signIn(page);
    [firstSession] = await page.evaluate(() => Object.entries(sessionStorage) as [string, string][]);
  } else {
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  }
  return page;
}

/** Opens a page of the dashboard, and waits until nothing in it is loading. */
export async function show(page: Page, hash: string, heading: string): Promise<void> {
  await page.goto(`${gateway().base_url}/admin#/${hash}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  // The invisible announcement for screen readers may stay.
  const indicators = page.getByText('Loading', { exact: true }).and(page.locator(':not([aria-live])'));
  await indicators.first().waitFor({ state: 'hidden' });
  await page.waitForLoadState('networkidle');
}

/** Examines the page that is open in each look: it is loaded once, as when a window is resized or the evening comes. */
export async function inEachLook(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewportOf(look));
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const isDark = Number(/\d+/.exec(background)?.[0]) < 128;
    if (isDark !== (look.colorScheme === 'dark')) found.push(`${name}: not in ${look.colorScheme} colours`);
    await photograph(page, name, look);
    // The colour scheme changes colours alone.
    const violations = await axeViolations(
      page,
      look.colorScheme === 'dark' ? ['color-contrast'] : undefined,
    );
    found.push(...violations.map((line) => `${name} at ${look.width}, ${look.colorScheme}: ${line}`));
  }
  return found;
}

/** One line for each violation of WCAG 2.2 AA, or of axe's own best practices; or of the `rules` alone. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return await page.evaluate(
    async (runOnly) => {
      type Axe = {
        run(
          options: object,
        ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
      };
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(runOnly);
      return violations.map(
        ({ id, help, nodes }) =>
          `${id}: ${help} (${nodes
            .map((node) => node.html.slice(0, 200))
            .slice(0, 3)
            .join(' | ')})`,
      );
    },
    rules === undefined ? {} : { runOnly: [...rules] },
  );
}

export async function photograph(page: Page, name: string, { width, colorScheme }: Look): Promise<void> {
  if (!isPhotographed) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) });
}
