/** An administrator sees how a client's endpoints answer and what became of its webhooks, resends them, and sends test events. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { axeViolations, inEachLook, photograph, show } from '../support/browser/dashboard.ts';
import { filtersIn, rowsOf } from '../support/browser/lists.ts';
import { changeAnswers } from '../support/browser/routes.ts';
import { signedInPage, usualLook } from '../support/browser/signed-in-page.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const dashboard = signedInPage();

it('resends every failed webhook of an endpoint, with the progress, and sends a test event', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const name = `Shop ${randomUUID()}`;
  const client = await newClient({ name, webhookUrl: endpoint.url });
  const messageId = await client.send({});
  await Promise.all([failForGood(messageId, 'sms.delivered'), failForGood(messageId, 'sms.sent')]);
  endpoint.answer = { status: 200, body: '' };
  const managed = `${endpoint.url}/managed`;
  const queue_arn = 'arn:aws:sqs:eu-west-1:123456789012:webhooks';
  const sqs = { queue_arn, role_arn: 'arn:aws:iam::123456789012:role/webhooks' };
  for (const destination of [{ url: managed }, { sqs }])
    expect((await client.post('/api/v1/webhook-endpoints', destination)).status).toBe(201);
  const { page } = dashboard;
  const { origin } = new URL(endpoint.url);
  await show(page, 'search', 'Search');
  await show(page, 'overview', 'Overview');
  const problem = page.getByRole('row').filter({ hasText: client.clientId }).filter({ hasText: origin });
  const since = String(await problem.locator('time').getAttribute('datetime'));
  const sinceText = await problem.locator('time').innerText();
  await show(page, `clients/${client.clientId}`, name);
  const finding = page.getByText(`${origin} has failed since`);
  await finding.waitFor();
  expect((await finding.boundingBox())?.y).toBeLessThan(500);
  // The time is the same on every page.
  expect(await finding.innerText()).toContain(`since ${sinceText.split('\n')[0]}`);
  await photograph(page, 'client-findings', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Show endpoints' }).first().click();
  await page.getByText('failing (HTTP 503) since').waitFor();
  await page.locator(`time[datetime="${since}"]`).waitFor();
  // As far as a resend of 1,420 would be after 50 seconds.
  let isAtWork = true;
  await changeAnswers(page, '**/webhook-deliveries/resend/*', (answer) => {
    const created_at = new Date(Date.now() - 50_000).toISOString();
    const half = { status: 'sending', matched: 1420, resent: 100, skipped: 0, created_at };
    return { ...answer, ...(isAtWork ? half : {}) };
  });
  await page.getByRole('button', { name: `Resend all since…: ${origin}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Resend all failed webhooks' });
  await dialog.getByText('2 webhooks are sent again.').waitFor();
  await photograph(page, 'resend-since', usualLook);
  expect(await axeViolations(page)).toEqual([]);
  // The dialog stays while the row of its endpoint is gone.
  const health = `**/admin/api/clients/${client.clientId}/webhooks`;
  await page.route(health, (route) => route.fulfill({ json: { endpoints: [] } }));
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('This client has no webhooks.').waitFor();
  await page.unroute(health);
  const at = await dialog.getByRole('textbox', { name: 'Date' }).inputValue();
  await dialog.getByRole('textbox', { name: 'Date' }).fill('2099/01/01');
  await dialog.getByText('No webhook that was created since then has failed.').waitFor();
  await dialog.getByRole('textbox', { name: 'Date' }).fill(at);
  await dialog.getByText('2 webhooks are sent again.').waitFor();
  await dialog.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('100 of 1,420 resent').waitFor();
  expect(await inEachLook(page, 'resend-progress')).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  isAtWork = false;
  await page.getByText('2 of 2 resent').waitFor();
  await page.getByText('healthy', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Webhook endpoints' }).scrollIntoViewIfNeeded();
  await photograph(page, 'endpoints', usualLook);
  await page.getByRole('button', { name: `Send test event: ${queue_arn}` }).waitFor();
  await page.getByRole('button', { name: `Send test event: ${managed}` }).click();
  await page.getByRole('heading', { name: /^Webhook /, level: 1 }).waitFor();
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  const tested = new URL(page.url()).hash.split('/').at(-1);
  await eventually(async () => endpoint.received.find(({ headers }) => headers['webhook-id'] === tested));
  await endpoint.close();
});

it('lists the webhooks of a client, whatever became of them, and follows one that is resent', async () => {
  const endpoint = await startRecoveringWebhookEndpoint();
  endpoint.answer = { status: 503, body: '' };
  const client = await newClient({ webhookUrl: endpoint.url });
  await failForGood(await client.send({}), 'sms.delivered');
  const { page } = dashboard;
  await show(page, 'webhooks', 'Webhooks');
  await page.getByText('Choose a client', { exact: true }).waitFor();
  await page.getByLabel('Client', { exact: true }).fill(client.clientId);
  await rowsOf(page).filter({ hasText: 'sms.sent' }).getByText('retry scheduled').waitFor();
  await page.getByLabel('Status').click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await eventually(async () => ((await rowsOf(page).count()) === 1 ? true : undefined));
  await rowsOf(page).getByText('6 attempts').waitFor();
  expect(Object.fromEntries(filtersIn(page))).toEqual({ client_id: client.clientId, state: 'failed' });
  expect(await axeViolations(page)).toEqual([]);

  endpoint.answer = { status: 200, body: '' };
  await page.getByRole('link', { name: 'sms.delivered' }).click();
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByRole('heading', { name: 'Attempts (7)' }).waitFor();
  await page.goBack();
  await page.getByText('No matches for these filters').waitFor();
  await endpoint.close();
});
