/** Resends of failed webhooks after an outage: each once, and a result for each. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { documentClient, eventually } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { storeFailedDeliveries } from '../../support/webhook/failed-webhooks.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

let shell: AdminShell;
let webhookEndpoint: WebhookEndpoint;
let dynamo: DynamoDBDocumentClient;
beforeAll(async () => {
  shell = adminShell();
  webhookEndpoint = await startWebhookEndpoint();
  dynamo = documentClient();
});
afterAll(async () => {
  shell.close();
  dynamo.destroy();
  await webhookEndpoint.close();
});

async function clientWithFailedDeliveries(count: number): Promise<{ clientId: string; ids: string[] }> {
  const { clientId } = await newClient();
  const ids = await storeFailedDeliveries(dynamo, { clientId, url: webhookEndpoint.url, count });
  return { clientId, ids };
}

it('resends each once although the command is repeated', async () => {
  const { clientId, ids } = await clientWithFailedDeliveries(50);
  const outcomesOf = async () => {
    const { results } = await shell.json('webhooks', 'resend', ...ids);
    return (results as { outcome: string }[]).map(({ outcome }) => outcome);
  };
  expect(await outcomesOf()).toEqual(ids.map(() => 'resent'));
  expect(await outcomesOf()).not.toContain('resent');
  const posts = () =>
    webhookEndpoint.posts
      .map(({ headers }) => String(headers['webhook-id']))
      .filter((id) => ids.includes(id));
  await eventually(async () => (new Set(posts()).size === ids.length ? true : undefined));
  expect(posts().toSorted()).toEqual(ids.toSorted());
  const left = await shell.json('webhooks', 'failed', '--client', clientId);
  expect(left).toEqual({ mode: 'live', webhooks: [], more: false });
});

it('ends with status 1 where one of several is not there, and sends the others', async () => {
  const { ids } = await clientWithFailedDeliveries(1);
  const ended = await shell.run('webhooks', 'resend', ...ids, 'whd_unknown');
  expect([ended.status, ended.stderr]).toEqual([1, '1 could not be resent.\n']);
  expect(ended.stdout).toMatch(new RegExp(`${ids[0]} +resent[\\s\\S]*whd_unknown +not found`));
});
