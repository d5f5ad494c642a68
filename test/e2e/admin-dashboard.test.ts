import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { call, tokenOf } from '../support/client.ts';
import {
  axeViolations,
  type Look,
  type OpenDashboard,
  openDashboard,
  photograph,
  show,
  signIn,
} from '../support/dashboard.ts';
import { failForGood } from '../support/final-failure.ts';
import { eventually } from '../support/gateway.ts';
import { type MendableReceiver, startMendableReceiver } from '../support/mendable-receiver.ts';

/** An override is in force within 60 s (contract, section 4). */
const limitSeconds = 70;

let browser: Browser;
let receiver: MendableReceiver;

beforeAll(async () => {
  browser = await startBrowser();
  receiver = await startMendableReceiver();
}, 60_000);

afterAll(async () => {
  await browser.close();
  receiver.close();
});

describe('an administrator in a browser', () => {
  let dashboard: OpenDashboard;
  let page: Page;
  let clientId: string;
  let token: string;
  let messageId: string;
  let deliveryId: string;

  const send = () =>
    call('POST', '/api/v1/sms/send', { token, body: { to: '+447700900555', message: 'Hello' } });

  it('is let in with the right secret alone', async () => {
    dashboard = await openDashboard(browser, { width: 1440, colorScheme: 'light' });
    page = dashboard.page;
    await page.getByLabel('Client id').fill('client_nobody');
    await page.getByLabel('Client secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The client credentials are not valid.', { exact: true }).waitFor();
    await signIn(page);
    expect(dashboard.complaints.filter((line) => !line.includes('401'))).toEqual([]);
  }, 60_000);

  it('creates a client, whose secrets are shown once and let it send', async () => {
    await show(page, 'clients', 'Clients');
    await page.getByRole('button', { name: 'Create client' }).click();
    await page.getByLabel('Name').fill('Browser shop');
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secrets = page.getByRole('dialog', { name: 'The secrets of Browser shop' });
    const text = await secrets.innerText();
    clientId = /client_[0-9a-z]{16}/.exec(text)?.[0] ?? '';
    const clientSecret = /cs_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? '';
    await secrets.getByRole('button', { name: 'Copy client secret' }).waitFor();
    await secrets.getByRole('button', { name: 'I have copied them' }).click();
    await page.getByRole('link', { name: 'Browser shop' }).waitFor();
    expect(await page.content()).not.toContain(clientSecret);

    token = await tokenOf(clientId, clientSecret);
    receiver.answer = { status: 503, body: 'closed for today' };
    const sent = await send();
    expect(sent.status).toBe(202);
    expect(sent.headers.get('x-ratelimit-limit')).toBe('60');
    messageId = String(sent.body.message_id);
  }, 60_000);

  it('finds its failed webhook in Activity Logs, and reads every attempt', async () => {
    deliveryId = (await failForGood(messageId, 'sms.delivered')).delivery_id;
    await failForGood(messageId, 'sms.sent');
    await show(page, 'activity', 'Activity Logs');
    await page.getByLabel('Client', { exact: true }).fill(clientId);
    await page.getByRole('link', { name: /sms\.delivered was not acknowledged after 6 attempts/ }).click();
    await page.getByRole('heading', { name: 'Webhook sms.delivered' }).waitFor();
    await page.getByRole('heading', { name: 'Attempts (6)' }).waitFor();
    await page.getByRole('button', { name: /Attempt 6: not acknowledged/ }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByText('closed for today').waitFor();
    const body = await page.getByRole('region', { name: 'Body of every attempt' }).innerText();
    expect(JSON.parse(body)).toMatchObject({ event: 'sms.delivered', data: { message_id: messageId } });
    expect(await axeViolations(page)).toEqual([]);
  }, 120_000);

  it('sends it again once the receiver is mended, and sees it acknowledged', async () => {
    receiver.answer = { status: 200, body: '' };
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('acknowledged', { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Attempts (7)' }).waitFor();
    const posted = receiver.received.filter(({ headers }) => headers['webhook-id'] === deliveryId);
    expect(posted).toHaveLength(7);
    expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
  }, 60_000);

  it('sends several again from the list at once', async () => {
    await show(page, 'activity', 'Activity Logs');
    await page.getByLabel('Client', { exact: true }).fill(clientId);
    await page.getByRole('link', { name: /sms\.sent was not acknowledged/ }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page
      .getByText(/(One webhook is|\d webhooks are) sent again/)
      .first()
      .waitFor();
    await eventually(async () => {
      const failed = await page.getByRole('table').getByText('failed', { exact: true }).count();
      return failed === 0 ? true : undefined;
    });
  }, 120_000);

  it('allows a client some countries alone, told which of them is none', async () => {
    await show(page, `clients/${clientId}`, 'Browser shop');
    const save = page.getByRole('button', { name: 'Save countries and senders' });
    await page.getByLabel('Countries').fill('GB, Gaul');
    await save.click();
    await page.getByText('Number 2 must be the two letters of a country, such as GB.').waitFor();
    await page.getByLabel('Countries').fill('GB, fr');
    await page.getByLabel('Senders').fill('ACME');
    await save.click();
    await page.getByText('The countries and senders are saved').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Browser shop' }).waitFor();
    expect(await page.getByLabel('Countries').inputValue()).toBe('GB, FR');
    expect(await page.getByLabel('Senders').inputValue()).toBe('ACME');
    expect(await axeViolations(page)).toEqual([]);
  }, 60_000);

  it('raises a limit where it stands, and the header changes', async () => {
    await show(page, `limits/${clientId}`, 'Limits');
    await page.getByRole('button', { name: 'Edit Per minute of POST /api/v1/sms/send' }).click();
    await page.getByRole('textbox', { name: 'Per minute of POST /api/v1/sms/send' }).fill('300');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('in force within 60 seconds.').first().waitFor();
    await eventually(
      async () => ((await send()).headers.get('x-ratelimit-limit') === '300' ? true : undefined),
      { withinSeconds: limitSeconds, everyMilliseconds: 3000 },
    );
  }, 120_000);

  it('is told when the session has ended, and signing out forgets it', async () => {
    await page.getByRole('button', { name: 'Demo admin, account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await signIn(page);
    await page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) {
        const session = JSON.parse(sessionStorage.getItem(key) ?? '{}');
        sessionStorage.setItem(key, JSON.stringify({ ...session, token: 'ended' }));
      }
    });
    await page.reload();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor();
    await page.context().close();
  }, 60_000);

  const looks: Look[] = [1440, 390].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );

  it.each(looks)(
    'sees every page well at $width pixels, $colorScheme',
    async (look) => {
      const opened = await openDashboard(browser, look);
      await opened.page.getByRole('button', { name: 'Sign in' }).waitFor();
      const found: string[] = [];
      const examine = async (name: string): Promise<void> => {
        await photograph(opened.page, name, look);
        found.push(...(await axeViolations(opened.page)).map((violation) => `${name}: ${violation}`));
      };
      await examine('sign-in');
      await signIn(opened.page);
      for (const [name, hash, heading] of [
        ['activity', 'activity', 'Activity Logs'],
        ['activity-all', 'activity?kind=all', 'Activity Logs'],
        ['webhook', `webhooks/${deliveryId}`, 'Webhook sms.delivered'],
        ['overview', 'overview', 'Overview'],
        ['messages', `messages?client_id=${clientId}`, 'Messages'],
        ['message', `messages/${messageId}`, 'Message'],
        ['clients', 'clients', 'Clients'],
        ['client', `clients/${clientId}`, 'Browser shop'],
        ['limits', 'limits', 'Limits'],
        ['client-limits', `limits/${clientId}`, 'Limits'],
        ['outbox', 'outbox', 'Outbox'],
      ] as const) {
        await show(opened.page, hash, heading);
        await examine(name);
      }
      await opened.page.context().close();
      expect(found).toEqual([]);
      expect(opened.complaints).toEqual([]);
    },
    180_000,
  );
});
