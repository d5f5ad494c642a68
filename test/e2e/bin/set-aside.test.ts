/** An administrator sees a dead letter, and processes it, on the deployed gateway. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber, outboxOf } from '../../support/carrier/outbox.ts';
import { eventually, gateway, sqsClient } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

let shell: AdminShell;
let endpoint: WebhookEndpoint;
const sqs = sqsClient();
beforeAll(async () => {
  shell = adminShell();
  endpoint = await startWebhookEndpoint();
});
afterAll(async () => {
  shell.close();
  await endpoint.close();
  sqs.destroy();
});

interface Listed {
  readonly id: string;
  readonly message_id: string | null;
}

/** The dead letter of this message, once it is listed. */
const listedOnce = (messageId: string) =>
  eventually(async () => {
    const rows = (await shell.json('call', 'listSetAside')).set_aside as Listed[];
    return rows.find(({ message_id }) => message_id === messageId);
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

it('a dead letter is handed to its consumer again, which does not repeat what is done', async () => {
  const { messageId, to } = await delivered();
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: gateway().queues.outbound_dead_letters,
      MessageBody: JSON.stringify({ message_id: messageId }),
      MessageGroupId: 'client-a',
    }),
  );
  const { id } = await listedOnce(messageId);
  expect(await shell.json('call', 'processSetAside', id)).toMatchObject({
    processed: [{ id, removed: true }],
  });
  expect(await outboxOf(to)).toHaveLength(1);
});
