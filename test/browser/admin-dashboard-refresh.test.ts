/** Lists and pages stay current by themselves and on demand, and say where they cannot; each test has a page of its own. */
import { expect, it } from '@jest/globals';
import { axeViolations, photograph, show } from '../support/browser/dashboard.ts';
import { rowsOf, sendMoreThanAPage } from '../support/browser/lists.ts';
import { changeAnswers } from '../support/browser/routes.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const dashboard = signedInPage();

it('refreshes a list automatically, but not while its tab is hidden', async () => {
  const { page } = dashboard;
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
  await rowsOf(page).first().getByText('delivered').waitFor();
  expect(await rowsOf(page).count()).toBe(1);
  await client.statusOnce(await client.send({}), 'delivered');
  await page.clock.fastForward(16_000);
  await rowsOf(page).nth(1).waitFor();

  await page.waitForLoadState('networkidle');
  await setVisibility('hidden');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await client.statusOnce(await client.send({}), 'delivered');
  await page.clock.fastForward(120_000);
  await page.waitForLoadState('networkidle');
  expect(asked).toEqual([]);
  await setVisibility('visible');
  await rowsOf(page).nth(2).waitFor();
});

it('shows a message and a webhook in progress until they are final, without a click', async () => {
  const { page } = dashboard;
  const endpoint = await startRecoveringWebhookEndpoint();
  const client = await newClient({ webhookUrl: endpoint.url });
  const messageId = await client.send({});
  await client.statusOnce(messageId, 'delivered');
  // Until it was seen, the responses are those of a moment ago.
  let isOnItsWay = true;
  await changeAnswers(
    page,
    `**/admin/api/messages/${messageId}`,
    ({ message, ...others }: { readonly message: object }) => ({
      ...others,
      message: { ...message, ...(isOnItsWay ? { status: 'sending' } : {}) },
    }),
  );
  await show(page, `messages/${messageId}`, 'Message');
  await page.getByText('sending', { exact: true }).waitFor();
  isOnItsWay = false;
  await page.getByText('sending', { exact: true }).waitFor({ state: 'hidden' });
  const link = page.getByRole('link', { name: 'sms.delivered' });
  await link.waitFor();

  isOnItsWay = true;
  await changeAnswers(page, '**/admin/api/webhooks/whd_*', (delivery) => ({
    ...delivery,
    ...(isOnItsWay ? { state: 'attempting' } : {}),
  }));
  await link.click();
  await page.getByText('attempting', { exact: true }).waitFor();
  isOnItsWay = false;
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  await endpoint.close();
});

it('refreshes on demand: the button keeps its place and the focus, the list its page and selection', async () => {
  const { page } = dashboard;
  const client = await newClient();
  await sendMoreThanAPage(client);
  await show(page, `messages?client_id=${client.clientId}`, 'Messages');
  await page.getByRole('button', { name: 'Next page' }).click();
  await eventually(async () => ((await rowsOf(page).count()) === 1 ? true : undefined));
  const refresh = page.getByRole('button', { name: 'Refresh' });
  const [place, address] = [await refresh.boundingBox(), page.url()];
  const answer = page.waitForResponse(/admin\/api\/messages\?/);
  await refresh.click();
  await answer;
  await page.waitForLoadState('networkidle');
  expect(await refresh.boundingBox()).toEqual(place);
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Refresh');
  expect(page.url()).toBe(address);
  expect(await rowsOf(page).count()).toBe(1);
});

it('offers to retry where data cannot be loaded, and keeps what it has where it cannot be refreshed', async () => {
  const { page } = dashboard;
  const unavailable = { status: 503, json: { error: 'service_unavailable', message: 'Try again later.' } };
  const clients = /admin\/api\/clients/;
  await page.route(clients, (route) => route.fulfill(unavailable));
  await page.getByRole('link', { name: 'Clients', exact: true }).click();
  await page.getByText('This data could not be loaded', { exact: true }).waitFor();
  await page.getByText('Try again later.').waitFor();
  await photograph(page, 'load-failure', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await page.unroute(clients);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('This data could not be loaded').first().waitFor({ state: 'hidden' });
  await rowsOf(page).first().waitFor();

  await page.route(clients, (route) => route.fulfill(unavailable));
  // From now on no refresh brings what other tests create.
  const shown = await rowsOf(page).count();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('This data could not be refreshed').waitFor();
  await photograph(page, 'refresh-failure', usualLook);
  expect(await rowsOf(page).count()).toBe(shown);

  // What is not known is not reported as well.
  await page.route(/admin\/api\/(attention|usage)/, (route) => route.fulfill(unavailable));
  await page.reload();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const attention = page.getByRole('grid', { name: 'Needs attention' });
  await attention.getByText('This data could not be loaded.').waitFor();
  expect(await page.getByText(/^Nothing/).count()).toBe(0);
  await photograph(page, 'overview-failure', usualLook);
});
