/**
 * Fills the tables of the deployed gateway with other rows, so that a test shows that the right ones are found among them:
 * clients, their messages, and failed webhooks with their entries in the Activity Log.
 */
import { randomUUID } from 'node:crypto';
import type { Client } from '../../../shared/client/client.ts';
import type { Message } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-row.ts';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { writeRows } from '../engine/write-rows.ts';
import { documentClient, gateway } from '../gateway/gateway.ts';
import { aMessage } from '../message/example-message.ts';
import { storeFailedWebhooks } from '../webhook/failed-webhooks.ts';

/** So many clients have all the messages, and the most on one day. */
const sendingClients = 20;
/** Some jobs of the gateway read every client, which is slow on the emulator. A search covers at most 1,000 clients. */
const clientsShare = 0.2;

export async function fillTables(count: number): Promise<void> {
  const { tables } = gateway();
  const now = new Date();
  const index = Array.from({ length: count }, (_, i) => i);
  const clients = index.slice(0, count * clientsShare).map((i) => aClient(i, now));
  const sender = (i: number) => clients[i % sendingClients]?.client_id ?? '';
  // Spread over the last twenty hours, the latest first.
  const at = (i: number) => addSeconds(now, (-72_000 * (i + 1)) / count);
  const messages = index.map((i) => messageOf(sender(i), i, at(i)));
  const failures = messages.map(({ client_id: clientId, message_id: messageId }, i) => {
    const url = `https://${clientId.replace('_', '-')}.example/hook`;
    return { clientId, messageId, event: 'sms.delivered', url, at: at(i) };
  });
  const dynamo = documentClient();
  await writeRows(dynamo, tables.clients, clients);
  await writeRows(
    dynamo,
    tables.messages,
    messages.map((message) => messageRowOf(message, 1)),
  );
  await storeFailedWebhooks(dynamo, tables, failures);
  dynamo.destroy();
}

function aClient(i: number, now: Date): Client {
  return {
    client_id: `client_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
    name: `Row ${i}`,
    scopes: ['messages'],
    disabled: false,
    secrets: [],
    created_at: now.toISOString(),
  };
}

/** Returns a message without a webhook URL, so that no webhooks follow. */
function messageOf(client_id: string, i: number, at: Date): Message {
  const time = at.toISOString();
  const { webhook_url: _url, ...message } = aMessage({
    ...{ message_id: newId('msg', at), client_id, recipient: `+4477${String(10_000_000 + i)}` },
    ...{ status: 'delivered', reference: `row ${i}`, created_at: time, queued_at: time },
    ...{ sent_at: time, delivered_at: time, expires_at: addDays(at, 3).toISOString() },
  });
  return message;
}
