/** The pages of the documentation in a real browser: whole at any width, nothing blocked, no link that leads nowhere. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../../support/browser/browser.ts';
import { gateway } from '../../support/gateway/gateway.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
});

const pages = ['/docs', '/docs/webhooks'];
const widths = [1440, 390];

describe.each(pages)('the page at %s', (path) => {
  it.each(widths)(
    'is whole at %s px: no side-scrolling, nothing blocked, nothing from elsewhere',
    async (width) => {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      const complaints: string[] = [];
      const asked: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${gateway().base_url}${path}`);
      const { content, frame, styled } = await page.evaluate<{
        content: number;
        frame: number;
        styled: boolean;
      }>(
        `({
        content: document.documentElement.scrollWidth,
        frame: document.documentElement.clientWidth,
        styled: getComputedStyle(document.body).margin === '0px',
      })`,
      );
      expect({ wider: content - frame, styled, complaints }).toEqual({
        wider: 0,
        styled: true,
        complaints: [],
      });
      expect(asked.filter((asset) => asset !== '/favicon.ico')).toEqual([path]);
      await page.close();
    },
  );

  it('has no link that leads nowhere', async () => {
    const page = await browser.newPage();
    await page.goto(`${gateway().base_url}${path}`);
    const links = await page.evaluate<{ own: string[]; broken: string[] }>(
      `({
        own: [...new Set([...document.links].map((link) => link.pathname))],
        broken: [...document.links]
          .filter((link) => link.pathname === location.pathname && link.hash !== '')
          .map((link) => link.hash.slice(1))
          .filter((id) => document.getElementById(id) === null),
      })`,
    );
    expect(links.broken).toEqual([]);
    for (const own of links.own) expect((await fetch(`${gateway().base_url}${own}`)).status).toBe(200);
    await page.close();
  });
});
