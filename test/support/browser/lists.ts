/** The lists of the dashboard: their rows, and their filters and pages in the address. */
import type { Locator, Page } from 'playwright-core';
import type { TestClient } from '../http/client.ts';

export const messagesPerPage = 50;

/** Returns the rows of a list, without the header and the loading row. */
export function rowsOf(page: Page): Locator {
  return page.locator('tbody tr').filter({ has: page.getByRole('link') });
}

export function filtersIn(page: Page): URLSearchParams {
  return new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
}

/** A second page of the client's messages has one row. */
export async function sendMoreThanAPage(client: TestClient): Promise<void> {
  for (let sent = 0; sent <= messagesPerPage; sent += 1) await client.send({});
}
