/** Receipts of both services, in their own shapes through the deployed queue: doubled, out of order, late and for nobody. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel } from '../../shared/contract/channels.ts';
import type { Message } from '../../shared/message/message.ts';
import { messageRowOf } from '../../shared/message/store/message-row.ts';
import { newId } from '../../shared/platform/ids.ts';
import { documentClient, gateway, sqsClient } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
});

/** A message that the carrier took and of which nothing was heard since. */
async function handedOver(channel: Channel, change: Partial<Message> = {}): Promise<string> {
  const at = new Date();
  const message: Message = {
    message_id: newId('msg', at),
    client_id: client.clientId,
    channel,
    status: 'sent',
    recipient: '+447700900123',
    type: 'transactional',
    text: 'Hello',
    created_at: at.toISOString(),
    queued_at: at.toISOString(),
    sending_at: at.toISOString(),
    sent_at: at.toISOString(),
    expires_at: new Date(at.getTime() + 3_600_000).toISOString(),
    attempt: 1,
    attempts: [
      { number: 1, carrier: 'aws', at: at.toISOString(), deadline: at.toISOString(), outcome: 'accepted' },
    ],
    ...change,
  };
  const dynamo = documentClient();
  const row = messageRowOf(message, 1);
  const key = channel === 'whatsapp' ? { carrier_key: message.carrier_message_id } : {};
  await dynamo.send(new PutCommand({ TableName: gateway().tables.messages, Item: { ...row, ...key } }));
  dynamo.destroy();
  return message.message_id;
}

async function report(...events: object[]): Promise<void> {
  const sqs = sqsClient();
  for (const event of events) {
    const notification = {
      Type: 'Notification',
      MessageId: 'n',
      Message: JSON.stringify(event),
      Timestamp: new Date().toISOString(),
    };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: gateway().queues.receipts,
        MessageBody: JSON.stringify(notification),
      }),
    );
  }
  sqs.destroy();
}

function smsEvent(messageId: string, eventType: string, isFinal: boolean, more: object = {}): object {
  return {
    eventType,
    eventVersion: '1.0',
    eventTimestamp: Date.now(),
    isFinal,
    destinationPhoneNumber: '+447700900123',
    messageId: `carrier-${messageId}`,
    messageStatus: eventType.slice(5),
    context: { message_id: messageId },
    ...more,
  };
}

function whatsAppEvent(
  ids: { readonly own?: string; readonly aws?: string },
  status: string,
  more: object = {},
) {
  const reported = {
    id: 'wamid.HBgL',
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: '447700900123',
    ...(ids.own === undefined ? {} : { biz_opaque_callback_data: ids.own }),
    ...more,
  };
  return {
    context: { MetaWabaIds: [], MetaPhoneNumberIds: [] },
    whatsAppWebhookEntry: JSON.stringify({
      id: '1',
      changes: [{ value: { messaging_product: 'whatsapp', statuses: [reported] }, field: 'messages' }],
    }),
    message_timestamp: new Date().toISOString(),
    ...(ids.aws === undefined ? {} : { messageId: ids.aws }),
  };
}

interface Shown {
  readonly status: string;
  readonly history: readonly { readonly status: string }[];
}

async function shown(messageId: string): Promise<Shown & Record<string, unknown>> {
  const { body } = await client.call('GET', `/api/v1/sms/status/${messageId}`);
  return body as unknown as Shown & Record<string, unknown>;
}

/** Sent after all others, and taken: what came before it has been worked on, or soon will be. */
async function settled(): Promise<void> {
  const marker = await handedOver('sms');
  await report(smsEvent(marker, 'TEXT_DELIVERED', true));
  await client.statusOnce(marker, 'delivered');
}

describe('SMS', () => {
  it('is delivered once by a receipt that comes twice, with the price that it names', async () => {
    const id = await handedOver('sms');
    const event = smsEvent(id, 'TEXT_DELIVERED', true, { totalMessagePrice: 0.03, totalCarrierFee: 0.01 });
    await report(event, event);
    const first = await client.statusOnce(id, 'delivered');
    expect(first).toMatchObject({ cost: 0.04, currency: 'USD' });
    await report(event);
    await settled();
    expect(await shown(id)).toEqual(first);
  });
});

describe('WhatsApp', () => {
  it('is found by the carrier’s id where ours does not come back', async () => {
    const aws = `aws-${newId('msg', new Date())}`;
    const id = await handedOver('whatsapp', { carrier_message_id: aws });
    await report(whatsAppEvent({ aws }, 'delivered'));
    expect(await client.statusOnce(id, 'delivered')).toMatchObject({ message_id: id });
  });
});

describe('a receipt for no message', () => {
  it('changes nothing and delays no other receipt', async () => {
    const unknown = newId('msg', new Date());
    await report(smsEvent(unknown, 'TEXT_DELIVERED', true), whatsAppEvent({ aws: 'nobody' }, 'read'));
    await settled();
    expect((await client.call('GET', `/api/v1/sms/status/${unknown}`)).status).toBe(404);
  });
});
