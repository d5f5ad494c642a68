/** An administrator sees what was set aside, and processes it, on the deployed gateway. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber, outboxOf } from '../../support/carrier/outbox.ts';
import { documentClient, eventually, gateway, sqsClient } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

let shell: AdminShell;
let endpoint: WebhookEndpoint;
const dynamo = documentClient();
const sqs = sqsClient();
beforeAll(async () => {
  shell = adminShell();
  endpoint = await startWebhookEndpoint();
});
afterAll(async () => {
  shell.close();
  await endpoint.close();
  dynamo.destroy();
  sqs.destroy();
});

interface Listed {
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly message_id: string | null;
}

/** What is set aside of this message, once it is. */
const listedOnce = (messageId: string, count = 1) =>
  eventually(async () => {
    const rows = (await shell.json('call', 'listSetAside')).set_aside as Listed[];
    const found = rows.filter(({ message_id }) => message_id === messageId);
    return found.length >= count ? found : undefined;
  });

async function delivered(): Promise<{ messageId: string; to: string }> {
  const client = await newClient();
  const to = freshNumber();
  const { body } = await client.post('/api/v1/sms/send', {
    to,
    message: 'Hi Ann',
    webhook_url: endpoint.url,
  });
  const messageId = String(body.message_id);
  await client.statusOnce(messageId, 'delivered');
  await endpoint.eventsOnce(messageId, 2);
  return { messageId, to };
}

const setSegments = (messageId: string, segments: unknown) =>
  dynamo.send(
    new UpdateCommand({
      TableName: gateway().tables.messages,
      Key: { message_id: messageId },
      UpdateExpression: 'SET #segments = :segments',
      ExpressionAttributeNames: { '#segments': 'segments' },
      ExpressionAttributeValues: { ':segments': segments },
    }),
  );

it('a spoilt row is shown masked, stays until it is corrected, and is then done with, without a second webhook', async () => {
  const { messageId, to } = await delivered();
  await setSegments(messageId, 'one');
  const [record] = await listedOnce(messageId);
  const id = String(record?.id);
  expect(record).toMatchObject({ queue: 'relay_dead_letters', kind: 'unreadable_record' });
  const shown = JSON.stringify(await shell.json('call', 'showSetAside', id));
  expect(shown).toContain(messageId);
  expect(shown).not.toContain(to);
  expect(shown).not.toContain('Ann');

  expect(await shell.run('call', 'processSetAside', id)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('correct segments'),
  });
  await listedOnce(messageId);
  await setSegments(messageId, 1);
  expect(await shell.json('call', 'processSetAside', id)).toMatchObject({
    processed: [{ id, removed: true }],
  });
  expect(await shell.run('call', 'showSetAside', id)).toMatchObject({ status: 1 });
  expect(await endpoint.eventsOnce(messageId, 2)).toHaveLength(2);
});

it('a dead letter is handed to its consumer again, which does not repeat what is done', async () => {
  const { messageId, to } = await delivered();
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: gateway().queues.outbound_dead_letters,
      MessageBody: JSON.stringify({ message_id: messageId }),
      MessageGroupId: 'client-a',
    }),
  );
  const [letter] = await listedOnce(messageId);
  const id = String(letter?.id);
  expect(await shell.json('call', 'processSetAside', id)).toMatchObject({
    processed: [{ id, removed: true }],
  });
  expect(await outboxOf(to)).toHaveLength(1);
});
