/** What the stream tells of messages after the time of a restore, and since when it has everything. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { readStreamEvidence, unknownOfStream } from '../../../shared/restore/evidence.ts';
import { evidenceInBody, mergedEvidence } from '../../../shared/restore/judge-message.ts';
import { aMessage } from '../../support/message/example-message.ts';

const to = new Date('2026-11-20T10:00:00.000Z');
const now = new Date('2026-11-20T12:00:00.000Z');
const at = (time: string) => `2026-11-20T${time}.000Z`;

type Row = Partial<Message> & { readonly restored_by?: string };

function record(time: string, before: Row | undefined, after: Row | undefined): StreamRecord {
  const image = (row: Row) =>
    marshall({ ...aMessage({ message_id: 'msg_1', created_at: at('09:00:00') }), ...row });
  return {
    dynamodb: {
      ApproximateCreationDateTime: Date.parse(at(time)) / 1000,
      ...(before === undefined ? {} : { OldImage: image(before) }),
      ...(after === undefined ? {} : { NewImage: image(after) }),
    },
  };
}

const evidenceOf = async (records: readonly StreamRecord[], began: Date | undefined = new Date(0)) =>
  readStreamEvidence(
    {
      streamRecords: {
        async read(_table, use) {
          for (const each of records) use(each);
          return began;
        },
      },
      clock: () => now,
    },
    'messages',
    to,
  );

const attempt = { number: 1, carrier: 'aws', at: at('10:10:00'), deadline: at('10:20:00') };
const queued: Row = { status: 'queued' };
const sending: Row = { status: 'sending', sending_at: at('10:10:00'), attempts: [attempt], attempt: 1 };
const sent: Row = { ...sending, status: 'sent', sent_at: at('10:10:01') };
const failed: Row = {
  ...sent,
  status: 'failed',
  failed_at: at('10:11:00'),
  error_code: 'unreachable',
  error_message: 'The recipient could not be reached.',
};

describe('a message', () => {
  it('has the states that it entered since and its error, in whatever order its records come', async () => {
    const records = [
      record('10:10:00', queued, sending),
      record('10:10:01', sending, sent),
      record('10:11:00', sent, failed),
      record('10:30:00', failed, undefined),
    ];
    for (const given of [records, records.toReversed()]) {
      const { messages } = await evidenceOf(given);
      expect(messages.msg_1).toEqual({
        client_id: 'client-a',
        accepted_at: at('09:00:00'),
        status: 'failed',
        attempts: 1,
        states: { sent: at('10:10:01'), failed: at('10:11:00') },
        error_code: 'unreachable',
        error_message: 'The recipient could not be reached.',
      });
    }
  });

  it('that was accepted since is known, also before anything happened to it', async () => {
    const accepted: Row = { ...queued, created_at: at('10:30:00') };
    const { messages } = await evidenceOf([record('10:30:00', undefined, accepted)]);
    expect(messages.msg_1).toMatchObject({
      accepted_at: at('10:30:00'),
      status: 'queued',
      attempts: 0,
      states: {},
    });
  });

  it('is known by its row as it was lost, where only the removal is left', async () => {
    const { messages } = await evidenceOf([record('11:00:00', sent, undefined)]);
    expect(messages.msg_1?.states).toEqual({ sent: at('10:10:01') });
  });

  it('whose worker has a clock that is a little behind, and entered a state right after the time', async () => {
    const early: Row = { ...sent, sending_at: at('09:59:58'), sent_at: at('09:59:59') };
    const { messages } = await evidenceOf([record('10:00:01', queued, early)]);
    expect(messages.msg_1?.states).toEqual({ sent: at('09:59:59') });
  });

  it('is not named for what happened before, for the removal of an old row, or for what a restore wrote', async () => {
    const before: Row = { ...sent, sending_at: at('09:10:00'), sent_at: at('09:10:00') };
    const { messages } = await evidenceOf([
      record('09:10:00', queued, before),
      record('11:00:00', before, undefined),
      record('11:00:00', undefined, { ...sent, restored_by: 'restore 1' }),
      record('11:00:00', undefined, { ...sent, direction: 'inbound' }),
    ]);
    expect(messages).toEqual({});
  });
});

describe('the stream', () => {
  it.each([
    ['has everything, where it began before', new Date('2026-11-01'), at('10:00:00'), []],
    [
      'forgets after a day',
      new Date('2026-11-01'),
      '2026-11-19T11:00:00.000Z',
      [/nothing from before 2026-11-19T12:00:00/],
    ],
    ['began later', new Date(at('11:00:00')), at('10:00:00'), [/nothing from before 2026-11-20T11:00:00/]],
    ['is gone', undefined, at('10:00:00'), [/^No stream of messages is left/]],
  ])('%s: what it cannot tell is named', async (_case, began, time, unknown) => {
    const streamRecords = { read: async () => began };
    const { since } = await readStreamEvidence(
      { streamRecords, clock: () => now },
      'messages',
      new Date(time),
    );
    expect(unknownOfStream(since, time)).toEqual(unknown.map((text) => expect.stringMatching(text)));
  });
});

it('the error of a failed message is kept, whether its earlier webhook is read before or after', () => {
  const bodyOf = (timestamp: string, data: object) =>
    evidenceInBody(JSON.stringify({ timestamp, data })) ?? { states: {} };
  const error = { error_code: 'unreachable', error_message: 'The recipient could not be reached.' };
  const [sentAt, failedAt] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:05.000Z'];
  const sent = bodyOf(sentAt, { status: 'sent' });
  const failed = bodyOf(failedAt, { status: 'failed', ...error });
  const both = { ...error, states: { sent: sentAt, failed: failedAt } };
  expect(mergedEvidence(sent, failed)).toEqual(both);
  expect(mergedEvidence(failed, sent)).toEqual(both);
});
