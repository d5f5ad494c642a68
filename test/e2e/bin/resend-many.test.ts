/** `webhooks resend --all-failed` after an outage: more deliveries than two requests take, each of them once, and a result for each. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { documentClient, eventually } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { storeFailedDeliveries } from '../../support/webhook/failed-webhooks.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

const failedCount = 206;

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

it('sends hundreds again without a failure, each once although the command is repeated, and says how far it is', async () => {
  const { clientId, ids } = await clientWithFailedDeliveries(failedCount);
  const first = await shell.run('webhooks', 'resend', '--all-failed', '--client', clientId);
  expect([first.status, first.stderr]).toEqual([0, '']);
  const lines = first.stdout.trim().split('\n');
  expect(lines.pop()).toBe(`${failedCount} of ${failedCount} done: ${failedCount} resent.`);
  expect(lines.map((line) => line.split('  ')[0])).toEqual(
    ids.map((_, index) => `${index + 1} of ${failedCount}`),
  );
  const reported = lines.map((line) => /whd_\w+ is sent again$/.exec(line)?.[0].split(' ')[0]);
  expect(reported.toSorted()).toEqual(ids.toSorted());
  const again = await shell.json('webhooks', 'resend', ...ids.slice(0, 50));
  const outcomes = (again.results as { outcome: string }[]).map(({ outcome }) => outcome);
  expect(outcomes).toHaveLength(50);
  expect(outcomes).not.toContain('resent');

  // The endpoint is that of the other test, too.
  const posts = () =>
    webhookEndpoint.posts
      .map(({ headers }) => String(headers['webhook-id']))
      .filter((id) => ids.includes(id));
  await eventually(async () => (new Set(posts()).size === failedCount ? true : undefined));
  expect(posts().toSorted()).toEqual(ids.toSorted());
  const left = await shell.json('webhooks', 'failed', '--client', clientId);
  expect(left).toEqual({ mode: 'live', webhooks: [], more: false });
});

it('ends with status 1 where one of several is not there, and sends the others', async () => {
  const { ids } = await clientWithFailedDeliveries(1);
  const ended = await shell.run('webhooks', 'resend', ...ids, 'whd_unknown');
  expect([ended.status, ended.stderr]).toEqual([1, 'There is no webhook whd_unknown.\n']);
  expect(ended.stdout).toContain(`${ids[0]} is sent again`);
  expect(ended.stdout).toContain('2 of 2 done: 1 resent, 1 not found.');
});
