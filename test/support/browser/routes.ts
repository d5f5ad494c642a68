/** Replaces or changes the gateway's responses to a browser. */
import type { BrowserContext, Page } from 'playwright-core';
import { served } from '../docs/served.ts';
import { waitMaxSeconds } from '../gateway/gateway.ts';

/** Gives a browser what the gateway serves to everyone, each address asked for once in a file of tests. */
export async function routeServed(context: BrowserContext, pattern: string): Promise<void> {
  await context.route(pattern, async (route) => {
    const { status, headers, body } = await served(route.request().url());
    const { 'content-encoding': _, 'content-length': __, ...others } = headers;
    await route.fulfill({ status, headers: others, body });
  });
}

/** Changes the successful answers. A failure stays one, as the dashboard repeats the request then. */
export async function changeAnswers<Answer extends object>(
  page: Page,
  pattern: string,
  changed: (answer: Answer) => object,
): Promise<void> {
  await page.route(pattern, async (route) => {
    const response = await route.fetch({ timeout: waitMaxSeconds * 1000 });
    await route.fulfill(
      response.ok() ? { response, json: changed((await response.json()) as Answer) } : { response },
    );
  });
}
