/** What was set aside is shown without what people wrote, and processed without a second effect. */
import { describe, expect, it } from '@jest/globals';
import {
  maskedContent,
  processSetAside,
  type SetAsideMessage,
  workOf,
} from '../../../shared/relay/set-aside-records.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aSentMessage } from '../../support/message/example-message.ts';

const message = aSentMessage({ text: 'Your parcel is here, Ann', reference: 'order 7' });
const now = new Date('2026-11-20T11:00:00.000Z');

function setAside(body: unknown, queue = 'relay_dead_letters'): SetAsideMessage {
  return {
    queue,
    messageId: 'sqs-1',
    receiptHandle: 'r',
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1' },
    sentAt: now.toISOString(),
    clientId: message.client_id,
  };
}

const unreadable = setAside({
  eventID: 'e1',
  eventName: 'MODIFY',
  dynamodb: {
    ApproximateCreationDateTime: Date.parse(message.sent_at ?? '') / 1000,
    Keys: { message_id: { S: message.message_id } },
    NewImage: {
      message_id: { S: message.message_id },
      recipient: { S: message.recipient },
      status: { S: 'sent' },
    },
  },
});
const refused = setAside({
  refused: 'The webhook sms.sent was refused by its queue',
  reason: 'InvalidMessageContents: …',
  since: message.sent_at,
  client_id: message.client_id,
  message_id: message.message_id,
});
const lost = (table: string) =>
  setAside({
    DDBStreamBatchInfo: {
      shardId: 'shard-1',
      approximateArrivalOfFirstRecord: '2026-11-20T10:00:01Z',
      approximateArrivalOfLastRecord: '2026-11-20T10:00:02Z',
      streamArn: `arn:aws:dynamodb:eu-west-1:000000000000:table/${table}/stream/1`,
    },
  });

async function gateway() {
  const stores = inMemoryStores();
  const sent: string[] = [];
  const dependencies = {
    ...stores,
    queues: new Map(),
    sendBack: async ({ body }: SetAsideMessage) => void sent.push(body),
  };
  return {
    sent,
    stores,
    process: (given: SetAsideMessage) => processSetAside(dependencies, given),
    due: () =>
      stores.dueItemIndex.all().flatMap(({ list, ids }) => ids.map((id) => `${list.split('#')[0]} ${id}`)),
  };
}

describe('what the relay or a queue refused', () => {
  it('an unreadable record is left to the relay', async () => {
    const { process, due } = await gateway();
    expect(await process(unreadable)).toMatchObject({ removed: false });
    expect(due()).toEqual([]);
  });

  it('nothing is due of a webhook whose row was deleted', async () => {
    const { process, due } = await gateway();
    expect(await process(refused)).toMatchObject({ removed: true });
    expect(due()).toEqual([]);
  });

  it('a webhook that its queue refused is reviewed by its own row', async () => {
    const { process, due, stores } = await gateway();
    const row = newDelivery(
      {
        delivery_id: 'whd_01KAG00000000000000000000A',
        client_id: message.client_id,
        event: 'webhook_endpoint.disabled',
        url: 'https://endpoint.example.com/hook',
        body: '{}',
      },
      now,
      30,
      'r1',
    );
    await stores.deliveries.create(row);
    const { message_id: _, ...ids } = JSON.parse(refused.body) as Record<string, unknown>;
    expect(await process(setAside({ ...ids, delivery_id: row.delivery_id }))).toMatchObject({
      removed: true,
    });
    expect(due()).toEqual([`deliveries ${row.delivery_id}`]);
  });
});

it('lost records of an edited table are done with: the hourly review writes its feedback', async () => {
  const { process } = await gateway();
  const { removed, outcome } = await process(lost('gateway-senders'));
  expect([removed, outcome]).toEqual([true, expect.stringContaining('gateway-senders')]);
});

it('a dead letter goes to its own queue again, as it is', async () => {
  const { process, sent } = await gateway();
  const given = setAside({ message_id: message.message_id }, 'outbound_dead_letters');
  expect(workOf(given)).toEqual({ kind: 'dead_letter', messageId: message.message_id });
  expect(await process(given)).toMatchObject({ removed: true });
  expect(sent).toEqual([given.body]);
});

it('what the gateway did not send stays', async () => {
  const { process } = await gateway();
  expect(await process(setAside('hello'))).toMatchObject({ removed: false });
});

it('numbers and texts are masked, ids, states and times are shown', () => {
  const body = JSON.stringify({
    dynamodb: {
      Keys: { message_id: { S: message.message_id } },
      NewImage: {
        status: { S: 'sent' },
        text: { S: message.text },
        recipient: { S: message.recipient },
        reference: { S: 'order 7' },
        sent_at: { S: message.sent_at },
        segments: { N: '1' },
      },
    },
    body: '{"event":"sms.sent"}',
  });
  expect(maskedContent(body)).toEqual({
    dynamodb: {
      Keys: { message_id: { S: message.message_id } },
      NewImage: {
        status: { S: 'sent' },
        text: { S: '(24 characters)' },
        recipient: { S: '(13 characters)' },
        reference: { S: '(7 characters)' },
        sent_at: { S: message.sent_at },
        segments: { N: '(1 characters)' },
      },
    },
    body: '(20 characters)',
  });
  expect(maskedContent('+447700900123')).toBe('(13 characters)');
});
