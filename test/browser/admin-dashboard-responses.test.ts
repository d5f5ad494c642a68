/** What the dashboard shows of responses that are odd, empty, refused, or of every kind; each test has a page of its own. */
import { expect, it } from '@jest/globals';
import { axeViolations, show } from '../support/browser/dashboard.ts';
import { filtersIn } from '../support/browser/lists.ts';
import { signedInPage } from '../support/browser/signed-in-page.ts';
import { gateway } from '../support/gateway/gateway.ts';

const dashboard = signedInPage();

it('a page that fails to render leaves the other pages as they are', async () => {
  const { page } = dashboard;
  const odd = {
    clients: [{}],
    webhooks: [{}],
    limits: [{}],
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
    [/admin\/api\/attention/, 'overview', odd],
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
  const { page } = dashboard;
  await show(page, 'activity', 'Activity Logs');
  await page.getByLabel('Client', { exact: true }).fill('x'.repeat(200));
  await page.getByText('Client id must have 128 characters or fewer.').first().waitFor();
  await show(page, 'messages', 'Messages');
  await page.getByLabel('Number').fill('+44 7700');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page
    .getByText(/Recipient must be a phone number in international format/)
    .first()
    .waitFor();
  await show(page, 'clients', 'Clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByLabel('Name').fill('x'.repeat(101));
  await page.getByLabel('Webhook URL').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Must have 100 characters or fewer.').first().waitFor();
  const dialog = await page.getByRole('dialog', { name: 'Create client' }).innerText();
  expect(dialog).not.toMatch(/expected|invalid input|too (big|small)|string/i);
});

it('distinguishes an empty list from one without matches', async () => {
  const { page } = dashboard;
  await page.route(/admin\/api\/activity/, (route) => route.fulfill({ status: 200, json: { entries: [] } }));
  await show(page, 'activity/webhooks', 'Activity Logs');
  await page.getByText('Nothing here yet').waitFor();
  await page.getByText('No webhook has failed.').waitFor();
  await show(page, 'activity?kind=limits_set', 'Activity Logs');
  await page.getByText('No matches for these filters').waitFor();
  // There is nothing to ask yet.
  await show(page, 'webhooks', 'Webhooks');
  await page.getByText('Choose a client', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Refresh' }).count()).toBe(0);
});

it('shows what a message of each type says, in both directions, and pages through a conversation', async () => {
  const { page } = dashboard;
  const person = '+447700900123';
  const long = 'word '.repeat(320).trim();
  const said: readonly (readonly [object, readonly string[]])[] = [
    [{ text: `line one\nline two <b>${long}` }, ['line one', 'line two <b>word']],
    [{ text: 'مرحبا (4711)' }, ['مرحبا']],
    [{ whatsapp: { type: 'image', media: { id: '123', caption: 'My door' } } }, ['Image: My door', '123']],
    [
      { whatsapp: { type: 'location', location: { latitude: 51.5, longitude: -0.1, name: 'Home' } } },
      ['Location: Home', '51.5', '-0.1'],
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
    [{ whatsapp: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } }, ['Button reply: Yes']],
    [
      { whatsapp: { type: 'list_reply', list_reply: { id: 'l', title: 'Noon', description: '12:00' } } },
      ['List reply: Noon', '12:00'],
    ],
    [{ whatsapp: { type: 'reaction', reaction: {} } }, ['Reaction']],
    [{ whatsapp: { type: 'unsupported' } }, ['A type that WhatsApp does not pass on']],
    [
      { direction: 'outbound', whatsapp: { type: 'template', template: { name: 'parcel', language: 'en' } } },
      ['Template: parcel', '"language": "en"'],
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
  expect(filtersIn(page).getAll('after')).toEqual(['c']);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.getByRole('button', { name: 'Later messages' }).click();
  await expectShown(5, 10);
});
