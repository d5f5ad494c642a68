/** `webhooks resend --all-failed` after an outage: several hundred deliveries, each of them once, and a result for each. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import { addDays, epochSeconds } from '../../../shared/platform/clock.ts';
import { derivedIdAt, newId } from '../../../shared/platform/ids.ts';
import { chunksOf } from '../../../shared/platform/split-into-chunks.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';
import { dynamoDeliveryStore } from '../../../shared/webhook/store/delivery-store.dynamo.ts';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { documentClient, eventually, gateway } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

const failedCount = 306;

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

function failedDelivery(clientId: string): Delivery & { readonly message_id: string } {
  const now = new Date();
  const messageId = newId('msg', now);
  return {
    delivery_id: newId('whd', now),
    client_id: clientId,
    message_id: messageId,
    event: 'sms.delivered',
    url: webhookEndpoint.url,
    body: JSON.stringify({ event: 'sms.delivered', data: { message_id: messageId } }),
    state: 'failed',
    lane: 'fast',
    attempt_number: 6,
    attempt_trigger: 'automatic',
    attempt_due_at: now.toISOString(),
    attempts: [],
    interruptions: 0,
    created_at: now.toISOString(),
    finished_at: now.toISOString(),
    purge_at: epochSeconds(addDays(now, 1)),
    revision: randomUUID(),
  };
}

async function clientWithFailedDeliveries(count: number): Promise<{ clientId: string; ids: string[] }> {
  const { clientId } = await newClient();
  const { tables } = gateway();
  const deliveries = dynamoDeliveryStore(dynamo, tables.webhook_deliveries ?? '');
  const activity = dynamoActivityLog(dynamo, tables.activity_log ?? '', 1);
  const failed = Array.from({ length: count }, () => failedDelivery(clientId));
  for (const some of chunksOf(failed, 20)) {
    await Promise.all(
      some.map(async (delivery) => {
        const { client_id, message_id, delivery_id } = delivery;
        await deliveries.create(delivery);
        const at = new Date();
        await activity.add({
          entry_id: derivedIdAt('act', at, delivery_id),
          kind: 'webhook_failed',
          at: at.toISOString(),
          summary: 'sms.delivered was not acknowledged after 6 attempts',
          ...{ client_id, message_id, delivery_id },
        });
      }),
    );
  }
  return { clientId, ids: failed.map(({ delivery_id }) => delivery_id) };
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
  expect(left).toEqual({ webhooks: [], more: false });
});

it('ends with status 1 where one of several is not there, and sends the others', async () => {
  const { ids } = await clientWithFailedDeliveries(1);
  const ended = await shell.run('webhooks', 'resend', ...ids, 'whd_unknown');
  expect([ended.status, ended.stderr]).toEqual([1, 'There is no webhook whd_unknown.\n']);
  expect(ended.stdout).toContain(`${ids[0]} is sent again`);
  expect(ended.stdout).toContain('2 of 2 done: 1 resent, 1 not found.');
});
