/** Every page of the dashboard, at two widths and in two colour schemes: photographed, and without a fault that axe finds. */

import { randomInt } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import { inEachLook, openDashboard, show, signIn } from '../support/browser/dashboard.ts';
import { documentClient, gateway } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { writeToClient } from '../support/message/write-to-client.ts';
import { failForGood } from '../support/webhook/final-failure.ts';
import { startRecoveringWebhookEndpoint } from '../support/webhook/recovering-endpoint.ts';

const name = 'Browser shop';

let browser: Browser;
let clientId: string;
let messageId: string;
let deliveryId: string;
let replyId: string;
/** No other test uses this number: a reply belongs to the client that last wrote to its sender. */
const person = `+447700${randomInt(100_000, 999_999)}`;

beforeAll(async () => {
  browser = await startBrowser();
  const webhookEndpoint = await startRecoveringWebhookEndpoint();
  webhookEndpoint.answer = { status: 503, body: 'closed for today' };
  const client = await newClient({ name, webhookUrl: webhookEndpoint.url });
  clientId = client.clientId;
  messageId = await client.send({ to: person });
  deliveryId = (await failForGood(messageId, 'sms.delivered')).delivery_id;
  await webhookEndpoint.close();
  const dynamo = documentClient();
  for (const [destination, identity] of [
    ['sms GB', 'ACME'],
    ['sms UK', 'ACME'],
    ['whatsapp *', 'phone-number-id-0123456789'],
  ]) {
    const Item = { client_id: clientId, destination, identity, messages_per_second: 50 };
    await dynamo.send(new PutCommand({ TableName: gateway().tables.senders, Item }));
  }
  dynamo.destroy();
  replyId = await writeToClient(client, person, 'Stop');
});

afterAll(async () => {
  await browser.close();
});

it('every page is well at two widths and in two colour schemes', async () => {
  const opened = await openDashboard(browser, { width: 1280, colorScheme: 'light' });
  await opened.page.getByRole('button', { name: 'Sign in' }).waitFor();
  const found: string[] = [];
  const examine = async (view: string): Promise<void> => {
    found.push(...(await inEachLook(opened.page, view)));
  };
  await examine('sign-in');
  await signIn(opened.page);
  for (const [view, hash, heading] of [
    ['activity', 'activity', 'Activity Logs'],
    ['activity-webhooks', 'activity/webhooks', 'Activity Logs'],
    ['activity-notices', 'activity/notices', 'Activity Logs'],
    ['activity-sign-ins', 'activity/sign-ins', 'Activity Logs'],
    ['webhooks', `webhooks?client_id=${clientId}`, 'Webhooks'],
    ['webhook', `webhooks/${deliveryId}`, 'Webhook sms.delivered'],
    ['overview', 'overview', 'Overview'],
    ['usage', 'usage', 'Usage'],
    ['usage-today-client', 'usage?period=today&by=client', 'Usage'],
    ['messages', `messages?client_id=${clientId}`, 'Messages'],
    ['message', `messages/${messageId}`, 'Message'],
    ['message-received', `messages/${replyId}`, 'Message'],
    ['messages-of-number', `messages?recipient=${encodeURIComponent(person)}`, 'Messages'],
    ['clients', 'clients', 'Clients'],
    ['client', `clients/${clientId}`, name],
    ['client-webhooks', `clients/${clientId}?tab=webhooks`, name],
    ['client-credentials', `clients/${clientId}?tab=credentials`, name],
    ['limits', 'limits', 'Limits'],
    ['client-limits', `limits/${clientId}`, 'Limits'],
    ['senders', 'senders', 'Senders'],
    ['outbox', 'outbox', 'Outbox'],
    ['messages-failed', 'messages?status=failed', 'Messages'],
    ['search-none', 'search?q=nothing', 'Search'],
  ] as const) {
    await show(opened.page, hash, heading);
    await examine(view);
  }
  await show(opened.page, 'senders', 'Senders');
  await opened.page.getByRole('button', { name: 'Add sender' }).click();
  await examine('sender-form');
  await opened.page.close();
  expect(found).toEqual([]);
  expect(opened.complaints).toEqual([]);
});
