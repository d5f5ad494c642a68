/** What a list of the dashboard shows at first, and its CSV file, which is complete. */

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { adminShell } from '../support/admin/admin-shell.ts';
import { axeViolations, photograph, show } from '../support/browser/dashboard.ts';
import { filtersIn, messagesPerPage, rowsOf, sendMoreThanAPage } from '../support/browser/lists.ts';
import { changeAnswers } from '../support/browser/routes.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';

const dashboard = signedInPage();

it('lists the latest messages at once, as many in a page as are chosen, and clients by name', async () => {
  const { page } = dashboard;
  const client = await newClient({ name: `0 first ${randomUUID()}` });
  await sendMoreThanAPage(client);
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  const pageSize = page.getByRole('button', { name: 'Rows per page' });
  expect((await pageSize.boundingBox())?.width).toBeLessThan(200);
  await pageSize.click();
  await page.getByRole('option', { name: '50 rows' }).click();
  await rowsOf(page).nth(messagesPerPage).waitFor();
  expect(await page.getByRole('button', { name: 'Next page' }).count()).toBe(0);
  await show(page, 'search', 'Search');
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('heading', { name: 'Latest messages' }).waitFor();
  await rowsOf(page).first().waitFor();
  await photograph(page, 'latest-messages', usualLook);
  await show(page, 'clients', 'Clients');
  const names = () => rowsOf(page).getByRole('link').allInnerTexts();
  const shown = await names();
  await page.getByRole('heading', { name: `All clients (${shown.length}` }).waitFor();
  expect(shown).toEqual(shown.toSorted((one, other) => one.localeCompare(other)));
  await photograph(page, 'clients-by-name', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: /^Created/ }).click();
  await eventually(async () => (filtersIn(page).get('sort') === 'created_at' ? true : undefined));
});

it('saves all messages as CSV, with the numbers as they are', async () => {
  const { page } = dashboard;
  const client = await newClient();
  const recipients = Array.from({ length: 120 }, freshNumber);
  expect((await client.post('/api/v1/sms/bulk', { recipients, message: 'Hello' })).status).toBe(202);
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  const button = page.getByRole('button', { name: /^Download CSV/ });
  const started = page.waitForEvent('download');
  await button.click();
  await page.getByText(/^messages-live-[\d-]{10}\.csv has all 120 rows\.$/).waitFor();
  const text = await readFile(await (await started).path(), 'utf8');
  const [header = '', ...lines] = text.trim().split('\r\n');
  const column = header.split(',').indexOf('recipient');
  expect(lines.map((line) => line.split(',')[column]).toSorted()).toEqual(recipients.toSorted());
  const shell = adminShell();
  const { stdout } = await shell
    .run('messages', 'list', '--client', client.clientId, '--csv')
    .finally(shell.close);
  expect(stdout.split('\r\n')[0]).toBe(header);

  // Of all clients, a search covers those with the most messages; that of one client is faster.
  await changeAnswers(page, '**/admin/api/messages?*', ({ messages }: { readonly messages: object[] }) => ({
    messages,
    clients_left_out: 3,
  }));
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  // Until the answer is there, the list shows the rows of the last visit.
  await page.getByText(/^3 more clients have such messages\./).waitFor();
  await button.click();
  await page
    .getByText(/^messages-live-[\d-]{10}\.csv has 100 rows\. 3 more clients have such messages\./)
    .waitFor();
});

it('says which carrier of the stage does not take its credentials, and what to do', async () => {
  const { page } = dashboard;
  const works: RowOf<'listCarriers', 'carriers'> = {
    channel: 'sms',
    carrier: 'infobip',
    preference: 1,
    credentials_work: true,
    credentials_answer: null,
    next_step: null,
    last_answer: {
      message_id: 'msg_01KAG00000000000000000000A',
      at: new Date().toISOString(),
      outcome: 'not_taken',
      error_code: null,
    },
  };
  const next_step = 'Put credentials that work into the secret.';
  const refused = { carrier: 'twilio', preference: 2, credentials_work: false, last_answer: null };
  const fails: RowOf<'listCarriers', 'carriers'> = {
    ...works,
    ...refused,
    credentials_answer: 'HTTP 401',
    next_step,
  };
  await page.route('**/admin/api/carriers', (route) => route.fulfill({ json: { carriers: [works, fails] } }));
  await show(page, 'senders', 'Senders');
  const carriers = page.getByRole('row');
  const rowOf = (carrier: string) => carriers.filter({ hasText: carrier });
  expect(await rowOf('infobip').innerText()).toMatch(/SMS, number 1\s+They work\s+not taken/);
  expect(await rowOf('twilio').innerText()).toContain('They do not work: HTTP 401');
  expect(await rowOf('twilio').innerText()).toContain(next_step);
});
