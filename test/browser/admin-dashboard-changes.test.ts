/** What users change: nothing is sent twice, nothing that was not edited, no refusal is unseen; chosen colours are kept. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { photograph, show } from '../support/browser/dashboard.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { newClient } from '../support/http/client.ts';

const dashboard = signedInPage();

/** The bodies of the requests of this method from now on. */
function bodiesOf(page: Page, method: string): unknown[] {
  const bodies: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === method) bodies.push(request.postDataJSON());
  });
  return bodies;
}

it('sends the list of countries or senders that was edited, so that a change of the other is kept', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  await show(page, `clients/${clientId}`, name);
  const sent = bodiesOf(page, 'PATCH');
  for (const [list, text] of [
    ['Countries', 'GB, FR'],
    ['Senders', 'ACME, otp'],
  ] as const) {
    const answer = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.getByRole('textbox', { name: list }).fill(text);
    await page.getByRole('button', { name: 'Save countries and senders' }).click();
    await answer;
    // So that the form has what is saved.
    await page.reload();
  }
  expect(sent).toEqual([{ countries: ['GB', 'FR'] }, { senders: ['ACME', 'otp'] }]);
});

it('tells of a change that is refused after its page or dialog was left', async () => {
  const { page } = dashboard;
  const name = `Shop ${randomUUID()}`;
  const { clientId } = await newClient({ name });
  await show(page, `clients/${clientId}`, name);
  await page.route(`**/admin/api/clients/${clientId}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor();
    return route.fulfill({ status: 503, json: { message: 'Try again later.' } });
  });
  await page.getByLabel('Webhook URL').fill('https://example.com/other');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Limits', exact: true }).first().click();
  await page.getByText('Try again later.').waitFor();
  await photograph(page, 'refused-after-leaving', usualLook);
});
