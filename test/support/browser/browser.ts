/** A real Chromium, the one that an npm package ships: nothing to install beside `npm ci`. */
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { waitMaxSeconds } from '../gateway/gateway.ts';

/**
 * Not with the arguments that the package proposes: they are for Lambda, run everything in one process, and switch
 * the web's own protection off, which a test of ours relies on.
 */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

/** Once, before the tests: of several processes that unpack it at a time, one would start what another still writes. */
export async function unpackBrowser(): Promise<void> {
  await chromium.executablePath();
}

export async function startBrowser(): Promise<Browser> {
  return await playwright.launch({
    args,
    executablePath: await chromium.executablePath(),
    headless: true,
    timeout: waitMaxSeconds * 1000,
  });
}
