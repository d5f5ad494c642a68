/** No two carriers get one message without a word, whatever becomes of a response (contract 16.2 and 16.3). */
import { describe, expect, it } from '@jest/globals';
import { fromOf } from '../../../shared/message/attempt.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import {
  accepted,
  notTaken,
  ownRefusal,
  recipientThrottled,
  refusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';
import { created } from '../../support/message/example-message.ts';

describe('proof that a carrier has not taken the message', () => {
  it.each([
    ['no connection', notTaken, 'not_taken'],
    ['a refusal that is the carrier’s own', ownRefusal, 'refused'],
  ] as const)('%s has the next carrier asked at once', async (_what, first, outcome) => {
    const { until, asked, view } = await world({ one: [first], two: [accepted] });
    await until(0);
    expect(asked()).toEqual(['one 1', 'two 2']);
    expect(await view()).toMatchObject({
      status: 'sent',
      carrier: 'two',
      attempts: [
        { carrier: 'one', outcome },
        { carrier: 'two', outcome: 'accepted' },
      ],
    });
    expect(await view()).toMatchObject({ possible_duplicate: undefined });
  });

  it('a refusal of the recipient is final', async () => {
    const { until, asked, view } = await world({ one: [refusal], two: [accepted] });
    await until(3600);
    expect(asked()).toEqual(['one 1']);
    expect(await view()).toMatchObject({ status: 'failed', error: { code: 'invalid_recipient' } });
  });

  it('fails the message with the reason of the last where every carrier refuses as its own', async () => {
    const { until, asked, view } = await world({ one: [ownRefusal], two: [ownRefusal] });
    await until(3600);
    expect(asked()).toEqual(['one 1', 'two 2']);
    expect(await view()).toMatchObject({ status: 'failed', error: { code: 'sender_rejected' } });
  });

  it('throttling is repeated at the same carrier, and after 30 s is a reason for the next', async () => {
    const { until, calls, view } = await world({ one: [throttled], two: [accepted] });
    await until(120);
    const [last, ...before] = calls.toReversed();
    expect(before.length).toBeGreaterThan(2);
    expect(before.every(({ carrier }) => carrier === 'one')).toBe(true);
    expect(last?.carrier).toBe('two');
    expect((last?.request.attempt.at ?? created) >= addSeconds(created, 30)).toBe(true);
    expect((await view()).attempts).toMatchObject([{ outcome: 'throttled' }, { outcome: 'accepted' }]);
  });
});

describe('a recipient who gets messages too fast', () => {
  it('has the message wait six seconds or more, at the same carrier, until its end', async () => {
    const { until, asked, calls } = await world({ one: [recipientThrottled], two: [accepted] });
    await until(600);
    const atSeconds = calls.map(({ request }) => (request.attempt.at.getTime() - created.getTime()) / 1000);
    expect(atSeconds.slice(0, 5)).toEqual([0, 6, 12, 20, 36]);
    expect(asked().every((carrier) => carrier.startsWith('one'))).toBe(true);
  });

  it('is no part of the 30 s of a carrier that throttles afterwards', async () => {
    const { until, calls } = await world({ one: [recipientThrottled, throttled], two: [accepted] });
    await until(120);
    // The carrier throttles from the sixth second on, so the sixth call is after 30 s.
    expect(calls.map(({ carrier }) => carrier)).toEqual(['one', 'one', 'one', 'one', 'one', 'two']);
  });
});

describe('the sender of an attempt', () => {
  it.each([
    ['of a row of its carrier', { senders: { two: { identity: '+15005550001' } } }, '+15005550001'],
    ['that the request names, without such a row', { from: 'ACME' }, 'ACME'],
    ['that is its carrier’s own, without either', {}, '+15005550006'],
  ])('is the one %s', async (_which, change, from) => {
    const sender = { identity: 'pool-1' };
    const { until, calls, row, view } = await world(
      { one: [notTaken], two: [accepted] },
      { sender, ...change },
      { defaultSender: '+15005550006' },
    );
    expect((await view()).from).toBe('pool-1');
    await until(0);
    expect(calls.map(({ request: { message } }) => fromOf(message))).toEqual(['pool-1', from]);
    expect(await view()).toMatchObject({ status: 'sent', from });
    expect(await row()).toMatchObject({ sender });
  });

  it('of the preferred carrier is the same again after another was asked', async () => {
    const { until, calls } = await world(
      { one: [notTaken], two: [notTaken] },
      { sender: { identity: 'pool-1' }, senders: { two: { identity: '+15005550001' } } },
    );
    await until(10);
    const from = calls.map(({ carrier, request }) => `${carrier} ${fromOf(request.message)}`);
    expect(from.slice(0, 3)).toEqual(['one pool-1', 'two +15005550001', 'one pool-1']);
  });

  it('is that of its carrier also where a deploy changed the order of the carriers meanwhile', async () => {
    const { until, calls } = await world(
      { one: [notTaken], two: [accepted] },
      { sender: { identity: 'pool-2', carrier: 'two' }, senders: { one: { identity: '+15005550001' } } },
    );
    await until(10);
    const from = calls.map(({ carrier, request }) => `${carrier} ${fromOf(request.message)}`);
    expect(from).toEqual(['one +15005550001', 'two pool-2']);
  });

  it('is never that of a carrier which the stage does not have any more', async () => {
    const { until, view } = await world(
      { one: [accepted] },
      { sender: { identity: 'pool-2', carrier: 'two' } },
      { defaultSender: '+15005550006' },
    );
    await until(10);
    expect(await view()).toMatchObject({ status: 'sent', from: '+15005550006' });
  });

  it('is known while the response is lost', async () => {
    const { until, view } = await world({ one: ['lost'] }, {}, { defaultSender: '+15005550006' });
    expect((await view()).from).toBeNull();
    await until(0);
    expect(await view()).toMatchObject({ status: 'sending', from: '+15005550006' });
  });

  it('is unknown where its carrier chooses, and not that of another carrier', async () => {
    const { until, view } = await world(
      { one: [notTaken], two: [accepted] },
      { sender: { identity: 'pool-1' } },
    );
    await until(0);
    expect((await view()).from).toBeNull();
  });
});

describe('a lost response', () => {
  it.each([
    ['transactional', {}],
    ['promotional', { type: 'promotional' as const }],
  ])('of a %s message is sent again by nobody', async (_type, change) => {
    const { until, asked, view, queued } = await world({ one: ['lost'], two: [accepted] }, change);
    await until(299);
    expect((await view()).status).toBe('sending');
    await until(3600);
    expect(asked()).toEqual(['one 1']);
    expect(queued).toEqual([]);
  });

  it('of a one-time password has it sent again after 30 s, by the next carrier, and the status says so', async () => {
    const { until, asked, calls, view } = await world({ one: ['lost'], two: [accepted] }, anOtp());
    await until(29);
    expect(asked()).toEqual(['one 1']);
    await until(31);
    expect(asked()).toEqual(['one 1', 'two 2']);
    expect(new Set(calls.map(({ request }) => request.attempt.id)).size).toBe(2);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two', possible_duplicate: true });
  });

  it('is sent again once where the stage has one carrier, which goes on losing responses', async () => {
    const { until, asked } = await world({ one: ['lost'] }, anOtp());
    await until(3600);
    expect(asked()).toEqual(['one 1', 'one 2']);
  });

  it('is settled as the stage says', async () => {
    const { until, asked, view } = await world(
      { one: ['lost'], two: [accepted] },
      { onUnknown: 'send_again' },
    );
    await until(301);
    expect(asked()).toEqual(['one 1', 'two 2']);
    expect((await view()).possible_duplicate).toBe(true);
  });

  it('is settled by a repeat of the same attempt where the carrier recognizes it', async () => {
    const { until, asked, calls, view } = await world(
      { one: ['lost', accepted] },
      {},
      { settledBy: 'repeat' },
    );
    await until(10);
    expect(asked()).toEqual(['one 1', 'one 1']);
    const [first, second] = calls.map(({ request }) => request.attempt);
    expect(second).toEqual(first);
    expect(await view()).toMatchObject({ status: 'sent', attempts: [{ outcome: 'accepted' }] });
  });

  it('is settled by a receipt', async () => {
    const { until, asked, report, view } = await world({ one: ['lost'], two: [accepted] }, anOtp());
    await until(5);
    await report(1, 'delivered');
    await until(3600);
    expect(asked()).toEqual(['one 1']);
    expect(await view()).toMatchObject({ status: 'delivered', attempts: [{ outcome: 'accepted' }] });
  });
});

it('the carrier is asked at the end about a sent message whose receipt may be lost', async () => {
  const { until, show, known, lookups, view, row } = await world({ one: [accepted] });
  await until(5);
  await show();
  expect([(await view()).status, lookups]).toEqual(['sent', []]);
  known.add(`${(await row()).message_id}.1`);
  await until(3600);
  await show();
  expect(lookups).toHaveLength(1);
  expect((await view()).status).toBe('delivered');
});

describe('receipts of several attempts', () => {
  it('a failure of an earlier attempt does not fail the message, and a delivery of one delivers it', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: [accepted] }, anOtp());
    await until(31);
    await report(1, 'failed');
    expect((await view()).status).toBe('sent');
    await report(1, 'delivered');
    expect((await view()).status).toBe('delivered');
  });

  it('a failure of the last attempt fails it', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: [accepted] }, anOtp());
    await until(31);
    await report(2, 'failed');
    expect((await view()).status).toBe('failed');
  });
});

function anOtp(): Partial<Message> {
  const otp = { otp_id: 'otp_1', code_length: 6, expires_at: addSeconds(created, 3600).toISOString() };
  return { otp: { ...otp, attempts_remaining: 3 } };
}
