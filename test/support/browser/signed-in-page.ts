/** A signed-in page of the dashboard for each test of a file, in a browser that all of them share. */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './browser.ts';
import { type Look, openSignedIn } from './dashboard.ts';

export const usualLook: Look = { width: 1280, colorScheme: 'light' };

interface SignedInPage {
  /** The page of the test that runs; closed after it. */
  readonly page: Page;
  /** A page with a session of its own, for the test to close. */
  openAnother(): Promise<Page>;
}

/** To be called outside of a test. */
export function signedInPage(): SignedInPage {
  let browser: Browser;
  let page: Page;
  const open = () => openSignedIn(browser, usualLook);
  beforeAll(async () => {
    browser = await startBrowser();
  });
  beforeEach(async () => {
    page = await open();
  });
  afterEach(async () => {
    // The page may be refreshing what the test changes on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  });
  afterAll(async () => {
    await browser.close();
  });
  return {
    get page() {
      return page;
    },
    openAnother: open,
  };
}
