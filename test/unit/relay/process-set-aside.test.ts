/** What was set aside is shown without what people wrote, and processed without a second effect. */
import { expect, it } from '@jest/globals';
import {
  maskedContent,
  processSetAside,
  type SetAsideMessage,
  workOf,
} from '../../../shared/relay/set-aside-records.ts';
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
const lost = (table: string) =>
  setAside({
    DDBStreamBatchInfo: {
      shardId: 'shard-1',
      approximateArrivalOfFirstRecord: '2026-11-20T10:00:01Z',
      approximateArrivalOfLastRecord: '2026-11-20T10:00:02Z',
      streamArn: `arn:aws:dynamodb:eu-west-1:000000000000:table/${table}/stream/1`,
    },
  });

function gateway() {
  const sent: string[] = [];
  const sendBack = async ({ body }: SetAsideMessage) => void sent.push(body);
  return { sent, process: (given: SetAsideMessage) => processSetAside(given, sendBack) };
}

it('an unreadable record is left to the relay', async () => {
  const { process } = gateway();
  expect(await process(unreadable)).toMatchObject({ removed: false });
});

it('lost records of an edited table are done with: the hourly review writes its feedback', async () => {
  const { process } = gateway();
  const { removed, outcome } = await process(lost('gateway-senders'));
  expect([removed, outcome]).toEqual([true, expect.stringContaining('gateway-senders')]);
});

it('a dead letter goes to its own queue again, as it is', async () => {
  const { process, sent } = gateway();
  const given = setAside({ message_id: message.message_id }, 'outbound_dead_letters');
  expect(workOf(given)).toEqual({ kind: 'dead_letter', messageId: message.message_id });
  expect(await process(given)).toMatchObject({ removed: true });
  expect(sent).toEqual([given.body]);
});

it('what the gateway did not send stays', async () => {
  const { process } = gateway();
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
