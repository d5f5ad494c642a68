/** Stream records that failed until their last retry: their events are found again, and only then anything is looked up. */
import { type DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { scheduledAhead } from '../../../shared/message/send/send-fields.ts';
import type { ListRange } from '../../../shared/message/store/message-list.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { addMissedMessages, type ScanProgress } from '../../../shared/relay/add-missed-messages.ts';
import { sqsLostRecords } from '../../../shared/relay/lost-records.sqs.ts';
import { aMessage } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const day = 86_400;
const ago = (seconds: number): string => addSeconds(now, -seconds).toISOString();

/** The message that Lambda sends for a batch of a stream that it gave up. */
const failedBatch = (first: string, last: string) =>
  JSON.stringify({
    version: '1.0',
    requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 101 },
    DDBStreamBatchInfo: {
      shardId: 'shardId-00000001',
      startSequenceNumber: '100',
      endSequenceNumber: '100',
      approximateArrivalOfFirstRecord: first,
      approximateArrivalOfLastRecord: last,
      batchSize: 1,
      streamArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/messages/stream/1',
    },
  });

/** A gateway whose last scan ended 25 minutes ago, and reached the messages of 45 minutes ago. */
function gateway(messages: readonly Message[], bodies: string[]) {
  let stored: ScanProgress = { from: addSeconds(now, -7200), until: addSeconds(now, -2700), done: true };
  const ranges: ListRange[] = [];
  const events: string[] = [];
  const handedOn: unknown[] = [];
  const calls: string[] = [];
  let broken = false;
  const sqs = {
    send: async (command: ReceiveMessageCommand | DeleteMessageCommand) => {
      calls.push(command.constructor.name);
      if (command instanceof ReceiveMessageCommand)
        return { Messages: bodies.map((Body) => ({ Body, ReceiptHandle: Body, MessageId: 'm' })) };
      bodies.splice(bodies.indexOf(command.input.ReceiptHandle ?? ''), 1);
      return {};
    },
  } as unknown as SQSClient;
  const byId = new Map(messages.map((message) => [message.message_id, message]));
  return {
    ranges,
    events,
    handedOn,
    calls,
    progress: () => stored,
    break: (isBroken: boolean) => {
      broken = isBroken;
    },
    run: (at = now) =>
      addMissedMessages({
        clock: () => at,
        endsAt: addSeconds(at, 40),
        progress: {
          read: async () => stored,
          write: async (progress) => {
            stored = progress;
          },
        },
        clientIds: async () => ({ clientIds: ['client-a'], next: undefined }),
        list: {
          async *keys(range) {
            ranges.push(range);
            for (const { message_id, created_at } of messages)
              if (created_at >= range.from && created_at < range.before)
                yield { messageId: message_id, position: `${created_at}#${message_id}` };
          },
        },
        messages: {
          get: async () => undefined,
          getMany: async (ids) => ids.flatMap((id) => byId.get(id) ?? []),
        },
        dueItemIndex: {
          add: async (list, items) => {
            if (list === 'fan-outs') events.push(...items.map(({ id }) => id));
          },
          due: () => {
            throw new Error('not read');
          },
          remove: async () => {},
        },
        lostRecords: sqsLostRecords(
          sqs,
          'queue',
          async (copy) => {
            if (broken) throw new Error('no copy');
            handedOn.push(copy);
          },
          () => at,
        ),
      }),
  };
}

/** Sent two days ago, with a late receipt. */
const delivered = (id: string, deliveredAt: string): Message =>
  aMessage({
    message_id: id,
    status: 'delivered',
    created_at: ago(2 * day),
    queued_at: ago(2 * day),
    sent_at: ago(2 * day - 1),
    delivered_at: deliveredAt,
  });

describe('a stream record of which nothing was relayed', () => {
  const received = aMessage({
    message_id: 'msg_received',
    direction: 'inbound',
    status: 'received',
    received_at: ago(7200),
    created_at: ago(7200),
  });

  it('leaves its event to the sweep, which sends it if no delivery exists: also of final and of received messages', async () => {
    const lost = gateway([delivered('msg_lost', ago(7200)), received], [failedBatch(ago(7205), ago(7195))]);
    await lost.run();
    expect(lost.events.map((id) => id.replace(/^.*(msg_\w+)/, '$1')).toSorted()).toEqual([
      expect.stringContaining('msg_lost'),
      expect.stringContaining('msg_received'),
    ]);
    expect(lost.events.join()).toContain('sms.delivered');
    expect(lost.events.join()).not.toContain('sms.sent');
    expect(lost.progress()).toMatchObject({ done: true, lost: undefined });
  });

  it('leaves out events of other days: who set a URL since then does not get what happened before', async () => {
    const lost = gateway([delivered('msg_other', ago(8000 + day))], [failedBatch(ago(7205), ago(7195))]);
    await lost.run();
    expect(lost.events).toEqual([]);
  });

  it.each([180, day - 60])(
    'is found by its event too where the report of the carrier was written %d seconds after that',
    async (seconds) => {
      const lost = gateway([delivered('msg_late', ago(7020 + seconds))], [failedBatch(ago(7020), ago(7020))]);
      await lost.run();
      expect(lost.events).toEqual(['msg_late#sms.delivered']);
    },
  );

  it('is found where the message was scheduled as far ahead as it may be, and delivered at the end of its validity', async () => {
    const created_at = ago(7020 + (scheduledAhead.daysMax + 3) * day);
    const scheduled = { ...delivered('msg_scheduled', ago(7020)), created_at };
    const lost = gateway([scheduled], [failedBatch(ago(7020), ago(7020))]);
    await lost.run();
    expect(lost.events).toContain('msg_scheduled#sms.delivered');
  });

  it('is found by its event too where the clock of who wrote that is two minutes ahead', async () => {
    const lost = gateway([delivered('msg_ahead', ago(7080))], [failedBatch(ago(7200), ago(7200))]);
    await lost.run();
    expect(lost.events).toEqual(['msg_ahead#sms.delivered']);
  });

  it('is found by a later scan where the clock of who stored the message is two minutes ahead', async () => {
    const ahead = { ...delivered('msg_ahead', ago(1084)), created_at: ago(1085) };
    const lost = gateway([ahead], [failedBatch(ago(1205), ago(1205))]);
    await lost.run();
    await lost.run(addSeconds(now, 1020));
    expect(lost.events).toEqual(['msg_ahead#sms.delivered']);
  });

  it('is found by the scan that reads the messages of its time, where it failed within minutes', async () => {
    const sent = { ...delivered('msg_lost', ago(390)), created_at: ago(400) };
    const lost = gateway([sent], [failedBatch(ago(390), ago(380))]);
    await lost.run();
    expect(lost.events).toEqual([]);
    await lost.run(addSeconds(now, 1020));
    expect(lost.events).toEqual(['msg_lost#sms.delivered']);
    expect(lost.progress()).toMatchObject({ done: true, lost: undefined });
  });

  it('is handed on to a person after it was noted, so that a run that dies between repeats both', async () => {
    const lost = gateway([delivered('msg_lost', ago(7200))], [failedBatch(ago(7205), ago(7195))]);
    lost.break(true);
    expect((await lost.run()).failures).toHaveLength(1);
    expect(lost.handedOn).toEqual([]);
    lost.break(false);
    await lost.run(addSeconds(now, 1000));
    expect(lost.handedOn).toEqual([JSON.parse(failedBatch(ago(7205), ago(7195)))]);
    expect(lost.events.length).toBeGreaterThan(0);
  });

  it('is read back for once', async () => {
    const lost = gateway([delivered('msg_lost', ago(7200))], [failedBatch(ago(7205), ago(7195))]);
    await lost.run();
    const found = lost.events.length;
    await lost.run(addSeconds(now, 1000));
    expect(lost.events).toHaveLength(found);
    expect(lost.ranges.at(-1)?.direction).toBe('outbound');
  });
});

describe('a scan without lost records', () => {
  it('looks up no event, reads only new messages, and asks the queue once', async () => {
    const usual = gateway([delivered('msg_lost', ago(7200)), aMessage({ created_at: ago(2000) })], []);
    await usual.run();
    expect(usual.events).toEqual([]);
    expect(usual.ranges).toMatchObject([{ direction: 'outbound', from: ago(2700) }]);
    expect(usual.calls).toEqual(['ReceiveMessageCommand']);
  });

  it('does not ask the queue in the minutes between two scans', async () => {
    const usual = gateway([], []);
    await usual.run();
    usual.calls.length = 0;
    await usual.run(addSeconds(now, 60));
    expect(usual.calls).toEqual([]);
  });
});
