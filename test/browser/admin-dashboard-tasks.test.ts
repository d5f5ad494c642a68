/**
 * The everyday questions are answered within the clicks that are counted here: by pointer, by keyboard alone, and on a phone.
 * `DASHBOARD_ROWS=10000` asks them among so many messages and failed webhooks of others.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { newId } from '../../shared/platform/ids.ts';
import { startBrowser } from '../support/browser/browser.ts';
import {
  axeViolations,
  type Look,
  openDashboard,
  photograph,
  show,
  signIn,
} from '../support/browser/dashboard.ts';
import { fillTables } from '../support/browser/many-rows.ts';
import { type User, userOf } from '../support/browser/user.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { writeToClient } from '../support/message/write-to-client.ts';
import { storeFailedWebhooks } from '../support/webhook/failed-webhooks.ts';
import {
  type RecoveringWebhookEndpoint,
  startRecoveringWebhookEndpoint,
} from '../support/webhook/recovering-endpoint.ts';

const ways = [
  ['by pointer', { by: 'pointer', look: { width: 1280, colorScheme: 'light' } }],
  ['by keyboard alone', { by: 'keyboard', look: { width: 1280, colorScheme: 'light' } }],
  ['on a phone', { by: 'pointer', look: { width: 390, colorScheme: 'dark' } }],
] as const;

type Way = (typeof ways)[number][1];

interface Visit {
  readonly page: Page;
  readonly user: User;
  readonly look: Look;
}

let browser: Browser;
/** An endpoint of webhooks that has recovered. */
let endpoint: RecoveringWebhookEndpoint;
/** A client with one message, which was delivered. */
let client: TestClient;
let messageId: string;
const name = `Shop ${randomUUID()}`;
const subscriber = String(randomInt(100_000, 999_999));
const visits = new Map<Way, Promise<Visit>>();

beforeAll(async () => {
  await fillTables(Number(process.env.DASHBOARD_ROWS ?? 0));
  [browser, endpoint, client] = await Promise.all([
    startBrowser(),
    startRecoveringWebhookEndpoint(),
    newClient({ name }),
  ]);
  const to = `+447700${subscriber}`;
  messageId = await client.send({ to, message: 'Your code' });
  await client.statusOnce(messageId, 'delivered');
});

afterAll(async () => {
  await browser.close();
  await endpoint.close();
});

/** The overview, in the one session that all tests of this way have. */
async function start(way: Way): Promise<Visit> {
  let visit = visits.get(way);
  if (visit === undefined) {
    visit = signedIn(way);
    visits.set(way, visit);
  }
  const { page, user, look } = await visit;
  const closing = page.getByRole('button', { name: 'Close the search' });
  if (await closing.isVisible()) await closing.click();
  // From another page, so that what was made since is loaded.
  await show(page, 'search', 'Search');
  await show(page, 'overview', 'Overview');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).locator('[tabindex]').focus();
  await user.forgetClicks();
  return { page, user, look };
}

async function signedIn({ by, look }: Way): Promise<Visit> {
  const { page } = await openDashboard(browser, look);
  const user = await userOf(page, by);
  await page.reload();
  await signIn(page);
  return { page, user, look };
}

const isPhone = ({ width }: Look): boolean => width < 600;

const row = (page: Page, text: string | RegExp): Locator => page.getByRole('row').filter({ hasText: text });

async function search({ page, user, look }: Visit, text: string): Promise<void> {
  // There the field is behind a button.
  if (isPhone(look)) await user.activate(page.getByRole('button', { name: 'Search', exact: true }));
  await user.enter(page.getByRole('searchbox', { name: 'Search', exact: true }), text);
}

/** Accessible, and not wider than the window. */
async function expectWell({ page, look }: Visit, photo: string): Promise<void> {
  await photograph(page, photo, look);
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}

/** In the width of the window, without scrolling sideways. */
async function expectInWidth({ page }: Visit, target: Locator): Promise<void> {
  const { x, width } = (await target.boundingBox()) ?? { x: Number.NaN, width: 0 };
  expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

/** On the first screen, without scrolling. */
async function expectOnScreen(visit: Visit, target: Locator): Promise<void> {
  await expectInWidth(visit, target);
  const { y, height } = (await target.boundingBox()) ?? { y: Number.NaN, height: 0 };
  expect(y + height).toBeLessThanOrEqual(visit.page.viewportSize()?.height ?? 0);
}

describe.each(ways)('%s', (_name, way) => {
  it('"our webhook is down": the endpoint, since when, and resend all, with 3 clicks from the overview', async () => {
    const down = await newClient({ name, webhookUrl: endpoint.url });
    const at = new Date(Date.now() - 1000);
    const failure = { clientId: down.clientId, messageId: newId('msg', at), url: endpoint.url, at };
    const dynamo = documentClient();
    const failed = await storeFailedWebhooks(dynamo, gateway().tables, [
      { ...failure, event: 'sms.sent' },
      { ...failure, event: 'sms.delivered' },
    ]);
    dynamo.destroy();
    const visit = await start(way);
    const { page, user, look } = visit;

    // Of more failed webhooks than the page counts, as other tests make them, it says so.
    const problem = row(page, down.clientId).filter({ hasText: /2 webhooks (at least )?to/ });
    expect(await problem.innerText()).toMatch(/to http:\/\/\S+ failed[\s\S]*(UTC|GMT)/);
    await expectInWidth(visit, problem.locator('time'));
    await expectWell(visit, 'overview-attention');
    await user.activate(problem.getByRole('link', { name: /2 webhooks (at least )?to/ }));
    await user.activate(page.getByRole('button', { name: /^Resend all since…/ }));
    const dialog = page.getByRole('dialog', { name: 'Resend all failed webhooks' });
    await dialog.getByText('2 webhooks are sent again.').waitFor();
    await expectWell(visit, 'resend-all');
    await user.activate(dialog.getByRole('button', { name: 'Resend' }));
    expect(await user.clicks()).toBe(way.by === 'pointer' ? 3 : 0);
    await page.getByText('2 of 2 resent').waitFor();
    await photograph(page, 'resending', look);
    await eventually(async () => {
      const posted = new Set(endpoint.received.map(({ headers }) => headers['webhook-id']));
      return failed.every(({ delivery_id }) => posted.has(delivery_id)) ? true : undefined;
    });
  });

  it('"raise it to 600 per minute": 3 clicks', async () => {
    const limited = await newClient({ name: `Limited ${randomUUID()}`, limits: 'default' });
    const visit = await start(way);
    const { page, user } = visit;
    await search(visit, limited.clientId);
    await page.getByRole('link', { name: 'Edit limits' }).waitFor();
    await user.forgetClicks();
    await user.activate(page.getByRole('link', { name: 'Edit limits' }));
    await user.activate(page.getByRole('button', { name: 'Edit row: POST /api/v1/sms/send' }));
    await page.locator('input:focus').and(page.getByLabel('Per minute')).waitFor();
    await page.keyboard.type('600');
    await expectInWidth(visit, page.getByRole('button', { name: 'Save' }));
    await expectWell(visit, 'limit-row');
    await user.activate(page.getByRole('button', { name: 'Save' }));
    expect(await user.clicks()).toBe(way.by === 'pointer' ? 3 : 0);
    await page.getByText(/^Limits of POST \/api\/v1\/sms\/send saved/).waitFor();
  });

  it('"I got no SMS": one search, by the number as it is written on paper', async () => {
    const visit = await start(way);
    await search(visit, `07700 ${subscriber.slice(0, 3)}-${subscriber.slice(3)}`);
    const state = row(visit.page, messageId).getByText('delivered');
    await state.waitFor();
    await expectOnScreen(visit, state);
    expect(await visit.user.clicks()).toBe(isPhone(way.look) ? 1 : 0);
    expect(await visit.page.title()).toBe('Messages – Messaging gateway');
    await expectWell(visit, 'number-found');
  });
});

it('finds what a caller quotes: an id, or a name', async () => {
  const visit = await start(ways[0][1]);
  const { page } = visit;
  await search(visit, messageId);
  await page.getByRole('heading', { name: 'Message', level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  // A single client of this name would be opened immediately.
  await newClient({ name });
  await search(visit, name);
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
  await row(page, client.clientId).first().waitFor();
  await expectWell(visit, 'search');
  await row(page, client.clientId).getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();

  await search(visit, 'nothing of that kind');
  await page.getByText('Nothing was found for “nothing of that kind”').waitFor();
});

it('"why does my customer get nothing": the message shows STOP, and the suppression is removed and added again', async () => {
  const person = `+447700${randomInt(100_000, 999_999)}`;
  const parcel = await client.send({ to: person, message: 'Your parcel is here' });
  await client.statusOnce(parcel, 'delivered');
  const visit = await start(ways[0][1]);
  const { page, look } = visit;
  await search(visit, person);
  await page.getByRole('link', { name: parcel }).click();
  await page.getByText('Your parcel is here').waitFor();
  await page.getByText('not suppressed').waitFor();
  await writeToClient(client, person, 'stop.');
  const refused = await client.send({ to: person });
  await client.statusOnce(refused, 'failed');
  await page.getByText('suppressed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Messages with this number' }).click();
  await row(page, `From ${person}`).getByText('stop.').waitFor();
  await photograph(page, 'messages-stop', look);
  await page.getByRole('link', { name: refused }).click();
  await page.getByText('recipient_opted_out').first().waitFor();

  await page.getByRole('link', { name: 'Show suppression' }).click();
  await page.getByRole('button', { name: `Remove: ${person}` }).waitFor();
  await expectOnScreen(visit, page.getByRole('button', { name: `Remove: ${person}` }));
  await page.getByRole('button', { name: `Remove: ${person}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove suppression' }).click();
  await page.getByText(`Messages to ${person} are sent again.`).waitFor();
  await page.getByRole('button', { name: 'Add suppression' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add suppression' });
  await dialog.getByLabel('Recipient').fill('12');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('must be a phone number in international format').first().waitFor();
  await dialog.getByLabel('Recipient').fill(`${person.slice(0, 3)} (0)${person.slice(3)}`);
  await dialog.getByLabel('Reason').fill('Asked by phone');
  await expectWell(visit, 'add-suppression');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await row(page, person).getByText('Asked by phone').waitFor();
});
