/** Gives a browser what the gateway serves to everyone, each address asked for once in a file of tests. */
import type { BrowserContext } from 'playwright-core';
import { served } from '../docs/served.ts';

export async function routeServed(context: BrowserContext, pattern: string): Promise<void> {
  await context.route(pattern, async (route) => {
    const { status, headers, body } = await served(route.request().url());
    const { 'content-encoding': _, 'content-length': __, ...others } = headers;
    await route.fulfill({ status, headers: others, body });
  });
}
