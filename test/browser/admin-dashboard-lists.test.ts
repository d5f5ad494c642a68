/** Checks what a list of the dashboard shows at first. */

import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { axeViolations, photograph, show } from '../support/browser/dashboard.ts';
import { filtersIn, rowsOf } from '../support/browser/lists.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';

const dashboard = signedInPage();

it('lists the latest messages at once, and clients by name', async () => {
  const { page } = dashboard;
  const client = await newClient({ name: `0 first ${randomUUID()}` });
  await client.send({});
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
