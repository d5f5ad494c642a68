/** The dashboard's addresses, focus, refresh and errors; each test has a page of its own. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import {
  axeViolations,
  type Look,
  openDashboard,
  photograph,
  show,
  signIn,
} from '../support/browser/dashboard.ts';
import { eventually, gateway, patienceSeconds } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const look: Look = { width: 1280, colorScheme: 'light' };
const messagesPerPage = 25;
const fetchOptions = { timeout: patienceSeconds * 1000 };

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
});

beforeEach(async () => {
  page = (await openDashboard(browser, look)).page;
  await signIn(page);
});

afterEach(async () => {
  await page.close();
});

afterAll(async () => {
  await browser.close();
});

/** Without the header, and without the row that tells of loading. */
const rows = (of: Page = page) => of.locator('tbody tr').filter({ has: of.getByRole('link') });

const firstId = (of: Page = page) => rows(of).first().getByRole('link', { name: /^msg_/ }).innerText();

const hash = (): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');

async function sendMany(client: TestClient, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await client.send({});
}

it('keeps filters and page of a list through Back, Forward, reload and in a shared link', async () => {
  const client = await newClient();
  await sendMany(client, messagesPerPage + 1);
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.keyboard.press('Enter');
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await eventually(async () => ((await rows().count()) === 1 ? true : undefined));
  const link = page.url();
  const last = await firstId();
  expect(hash().get('client_id')).toBe(client.clientId);
  expect(hash().getAll('after')).toHaveLength(1);

  await page.reload();
  await eventually(async () => ((await firstId()) === last ? true : undefined));
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe(client.clientId);
  await page.goBack();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goBack();
  await page.getByText('Search for messages').waitFor();
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  await page.goForward();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();
  await page.goForward();
  await eventually(async () => ((await rows().count()) === 1 ? true : undefined));
  await page.getByRole('button', { name: 'Previous page' }).click();
  await rows()
    .nth(messagesPerPage - 1)
    .waitFor();

  const other = (await openDashboard(browser, look)).page;
  await signIn(other);
  await other.goto(link);
  await eventually(async () => ((await firstId(other)) === last ? true : undefined));
  await other.close();
});

it('keeps type, client, time and selection of the activity log in the address', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const client = await newClient({ webhookUrl: endpoint.url });
  await failForGood(await client.send({}), 'sms.delivered');
  await show(page, 'activity', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await page.getByRole('link', { name: /sms\.delivered was not acknowledged/ }).waitFor();
  await page.getByRole('button', { name: 'Any time' }).click();
  await page.getByRole('radio', { name: 'Last 24 hours' }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/ }).check();
  expect(Object.fromEntries(hash())).toEqual({
    client_id: client.clientId,
    last: '24-hour',
    selected: expect.stringMatching(/^act_/),
  });

  await page.reload();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/, checked: true }).waitFor();
  await page.getByRole('button', { name: 'Last 24 hours' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resend', exact: true }).isEnabled()).toBe(true);

  await page.getByLabel('Type').click();
  await page.getByRole('option', { name: 'Clients created' }).click();
  await page.getByText('No matches for these filters').waitFor();
  await photograph(page, 'no-matches', look);
  expect(await axeViolations(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('checkbox', { name: /Select .*sms\.delivered/, checked: true }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await eventually(async () => (hash().size === 0 ? true : undefined));
  expect(await page.getByLabel('Client', { exact: true }).inputValue()).toBe('');
  endpoint.close();
});

it('gives each page its title, moves the focus to its heading, and offers to skip to it', async () => {
  const focused = () => page.locator(':focus').textContent();
  for (const title of ['Overview', 'Messages', 'Clients', 'Limits', 'Outbox', 'Activity Logs']) {
    await page.getByRole('link', { name: title, exact: true }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await eventually(async () => ((await focused()) === title ? true : undefined));
    expect(await page.title()).toBe(`${title} – Messaging gateway`);
  }
  const address = page.url();
  await page.reload();
  await page.getByRole('heading', { name: 'Activity Logs', level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to main content');
  await photograph(page, 'skip-link', look);
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Activity Logs');
  expect(page.url()).toBe(address);
});

it('refreshes a list automatically, but not while its tab is hidden', async () => {
  const setVisibility = (state: 'hidden' | 'visible') =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
       document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`,
    );
  const client = await newClient();
  await client.statusOnce(await client.send({}), 'delivered');
  await page.clock.install({ time: new Date() });
  await page.reload();
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  await rows().first().getByText('delivered').waitFor();
  expect(await rows().count()).toBe(1);
  await client.statusOnce(await client.send({}), 'delivered');
  await page.clock.fastForward(16_000);
  await rows().nth(1).waitFor();

  await page.waitForLoadState('networkidle');
  await setVisibility('hidden');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await client.statusOnce(await client.send({}), 'delivered');
  await page.clock.fastForward(120_000);
  await page.waitForLoadState('networkidle');
  expect(asked).toEqual([]);
  await setVisibility('visible');
  await rows().nth(2).waitFor();
});

it('shows a message and a webhook in progress until they are final, without a click', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  const client = await newClient({ webhookUrl: endpoint.url });
  const messageId = await client.send({});
  await client.statusOnce(messageId, 'delivered');
  // Until it was seen, the answers are those of a moment ago.
  let isOnItsWay = true;
  await page.route(`**/admin/api/messages/${messageId}`, async (route) => {
    const response = await route.fetch(fetchOptions);
    const body = await response.json();
    if (isOnItsWay) body.message.status = 'sending';
    await route.fulfill({ response, json: body });
  });
  await show(page, `messages/${messageId}`, 'Message');
  await page.getByText('sending', { exact: true }).waitFor();
  isOnItsWay = false;
  await page.getByText('sending', { exact: true }).waitFor({ state: 'hidden' });
  const link = page.getByRole('link', { name: 'sms.delivered' });
  await link.waitFor();

  isOnItsWay = true;
  await page.route('**/admin/api/webhooks/whd_*', async (route) => {
    const response = await route.fetch(fetchOptions);
    const body = await response.json();
    await route.fulfill({ response, json: isOnItsWay ? { ...body, state: 'attempting' } : body });
  });
  await link.click();
  await page.getByText('attempting', { exact: true }).waitFor();
  isOnItsWay = false;
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  endpoint.close();
});

it('refreshes on demand: the button keeps its place and the focus, the list its page and selection', async () => {
  const client = await newClient();
  await sendMany(client, messagesPerPage + 1);
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  await page.getByRole('button', { name: 'Next page' }).click();
  await eventually(async () => ((await rows().count()) === 1 ? true : undefined));
  const refresh = page.getByRole('button', { name: 'Refresh' });
  const [place, address] = [await refresh.boundingBox(), page.url()];
  const answer = page.waitForResponse(/admin\/api\/messages\?/);
  await refresh.click();
  await answer;
  await page.waitForLoadState('networkidle');
  expect(await refresh.boundingBox()).toEqual(place);
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Refresh');
  expect(page.url()).toBe(address);
  expect(await rows().count()).toBe(1);
});

it('offers to retry where data cannot be loaded, and keeps what it has where it cannot be refreshed', async () => {
  const unavailable = { status: 503, json: { error: 'service_unavailable', message: 'Try again later.' } };
  const clients = /admin\/api\/clients/;
  await page.route(clients, (route) => route.fulfill(unavailable));
  await page.getByRole('link', { name: 'Clients', exact: true }).click();
  await page.getByText('This data could not be loaded', { exact: true }).waitFor();
  await page.getByText('Try again later.').waitFor();
  await photograph(page, 'load-failure', look);
  expect(await axeViolations(page)).toEqual([]);
  await page.unroute(clients);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('This data could not be loaded').first().waitFor({ state: 'hidden' });
  await rows().first().waitFor();

  await page.route(clients, (route) => route.fulfill(unavailable));
  // From now on no refresh brings what other tests create.
  const shown = await rows().count();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('This data could not be refreshed').waitFor();
  await photograph(page, 'refresh-failure', look);
  expect(await rows().count()).toBe(shown);
});

it('a page that fails to render leaves the other pages as they are', async () => {
  const odd = {
    clients: [{}],
    webhooks: [{}],
    limits: [{}],
    points: [{}],
    message: {},
    messages: [{}],
  };
  for (const [pattern, path, json] of [
    [/admin\/api\/clients/, 'clients', odd],
    [/admin\/api\/clients/, 'clients/client_x', odd],
    [/admin\/api\/clients/, 'limits/client_x', odd],
    [/admin\/api\/limits/, 'limits', odd],
    [/admin\/api\/messages/, 'messages?client_id=x', odd],
    [/admin\/api\/messages/, 'messages/msg_x', odd],
    [/admin\/api\/webhooks/, 'webhooks/whd_x', odd],
    [/admin\/api\/outbox/, 'outbox', { messages: [null] }],
    [/admin\/api\/usage/, 'overview', odd],
  ] as const) {
    await page.route(pattern, (route) => route.fulfill({ status: 200, json }));
    await page.goto(`${gateway().base_url}/admin#/${path}`);
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await page.unroute(pattern);
    await page.getByRole('link', { name: 'Activity Logs', exact: true }).click();
    await page.getByRole('heading', { name: 'Activity Logs', level: 1 }).waitFor();
  }
});

it('says what is wrong with an entry in words for a person', async () => {
  await show(page, 'activity?kind=all', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill('x'.repeat(200));
  await page.getByText('Client id must have 128 characters or fewer.').waitFor();
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Number').fill('+44 7700');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByText(/Recipient must be a phone number in international format/).waitFor();
  await show(page, 'clients', 'Clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByLabel('Name').fill('x'.repeat(101));
  await page.getByLabel('Webhook URL').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Must have 100 characters or fewer.').waitFor();
  const dialog = await page.getByRole('dialog', { name: 'Create client' }).innerText();
  expect(dialog).not.toMatch(/expected|invalid input|too (big|small)|string/i);
});

it('tells nothing yet from no matches', async () => {
  await page.route(/admin\/api\/activity/, (route) => route.fulfill({ status: 200, json: { entries: [] } }));
  await show(page, 'activity', 'Activity Logs');
  await page.getByText('Nothing here yet').waitFor();
  await page.getByText('No webhook has failed.').waitFor();
  await show(page, 'activity?kind=all', 'Activity Logs');
  await page.getByText('No matches for these filters').waitFor();
});

it('shows what a message of each type says, in both directions, and pages through a conversation', async () => {
  const person = '+447700900123';
  const long = 'word '.repeat(320).trim();
  const said: readonly (readonly [object, readonly string[]])[] = [
    [{ text: `line one\nline two <b>${long}` }, ['line one', 'line two <b>word']],
    [{ text: 'مرحبا (4711)' }, ['مرحبا']],
    [{ whatsapp: { type: 'image', media: { id: '123', caption: 'My door' } } }, ['Image', 'My door', '123']],
    [
      { whatsapp: { type: 'location', location: { latitude: 51.5, longitude: -0.1, name: 'Home' } } },
      ['Location', 'Home', '51.5, -0.1'],
    ],
    [
      {
        whatsapp: {
          type: 'contacts',
          contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '1' }] }],
        },
      },
      ['Contacts', 'Bob'],
    ],
    [
      { whatsapp: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } },
      ['Button reply', 'Yes'],
    ],
    [
      { whatsapp: { type: 'list_reply', list_reply: { id: 'l', title: 'Noon', description: '12:00' } } },
      ['List reply', 'Noon', '12:00'],
    ],
    [{ whatsapp: { type: 'reaction', reaction: {} } }, ['Reaction', 'The reaction was removed.']],
    [{ whatsapp: { type: 'unsupported' } }, ['A type that WhatsApp does not pass on']],
    [
      { direction: 'outbound', whatsapp: { type: 'template', template: { name: 'parcel', language: 'en' } } },
      ['Template', 'parcel (en)'],
    ],
  ];
  const messages = said.map(([content], index) => ({
    message_id: `msg_${index}`,
    client_id: null,
    direction: 'inbound',
    channel: 'whatsapp',
    status: 'received',
    number: '+15005550100',
    text: null,
    whatsapp: null,
    at: new Date(Date.UTC(2026, 10, 22, 10, index)).toISOString(),
    in_reply_to: null,
    asks_for: null,
    error_code: null,
    ...content,
  }));
  await page.route(/admin\/api\/conversations/, (route) => {
    const isEarlier = route.request().url().includes('cursor=');
    const shown = isEarlier ? messages.slice(0, 5) : messages.slice(5);
    const json = {
      person,
      messages: shown.toReversed(),
      clients: [],
      ...(isEarlier ? {} : { next_cursor: 'c' }),
    };
    return route.fulfill({ status: 200, json });
  });
  const expectShown = async (from: number, to: number): Promise<void> => {
    const items = page.getByRole('region', { name: /^Messages/ }).getByRole('listitem');
    await items.filter({ hasText: said[from]?.[1][0] ?? '' }).waitFor();
    const texts = await items.allInnerTexts();
    expect(texts).toHaveLength(to - from);
    for (const [index, [, parts]] of said.slice(from, to).entries()) {
      for (const part of parts) expect(texts[index]).toContain(part);
    }
  };
  await show(page, `conversation?recipient=${encodeURIComponent(person)}`, 'Conversation');
  await expectShown(5, 10);
  await page.getByRole('button', { name: 'Earlier messages' }).click();
  await expectShown(0, 5);
  expect(hash().getAll('after')).toEqual(['c']);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.getByRole('button', { name: 'Later messages' }).click();
  await expectShown(5, 10);
});
