/** No two carriers get one message without a word, whatever becomes of a response (contract 16.2 and 16.3). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { messageError } from '../../../shared/contract/message-error-codes.ts';
import type { ChosenCarrier, HandOver, HandOverRequest } from '../../../shared/message/dispatch/carrier.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { fromOf, type Message } from '../../../shared/message/message.ts';
import { statusView } from '../../../shared/message/message-response.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { allowanceOf } from '../../support/doubles/no-caps.ts';
import { noOtpLegs } from '../../support/doubles/no-otp-legs.ts';
import { nobodySuppressed } from '../../support/doubles/nobody-suppressed.ts';
import { inMemoryPace, inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, attemptRules, created } from '../../support/message/example-message.ts';

type Answer = HandOver | 'lost';

const accepted: HandOver = { outcome: 'accepted', carrierMessageId: 'c-1', cost: 0.01, currency: 'USD' };
const notTaken: HandOver = { outcome: 'not_taken', reason: 'ECONNREFUSED' };
const throttled: HandOver = { outcome: 'throttled', reason: 'slow down' };
const ownRefusal: HandOver = { outcome: 'refused', ...messageError('sender_rejected'), elsewhere: true };
const refusal: HandOver = { outcome: 'refused', ...messageError('invalid_recipient') };

let now: Date;
beforeEach(() => {
  now = created;
});

/** A stage whose carriers respond as told, and a message that is dispatched each time the queue shows it. */
async function world(
  answers: Readonly<Record<string, readonly Answer[]>>,
  change: Partial<Message> = {},
  settledBy: ChosenCarrier['settledBy'] = 'receipt',
) {
  const { messages } = inMemoryStores();
  const message = aMessage({ expires_at: addSeconds(created, 3600).toISOString(), ...change });
  await messages.create(message);
  const calls: { readonly carrier: string; readonly request: HandOverRequest }[] = [];
  const queued: Date[] = [now];
  const lookups: string[] = [];
  const known = new Set<string>();
  const carriers = Object.entries(answers).map(
    ([name, responses]): ChosenCarrier => ({
      name,
      settledBy,
      async handOver(request) {
        const index = calls.filter(({ carrier }) => carrier === name).length;
        calls.push({ carrier: name, request });
        const answer = responses[Math.min(index, responses.length - 1)];
        if (answer === undefined || answer === 'lost') throw new Error('the response was lost');
        return answer;
      },
      async lookup({ attempt }) {
        lookups.push(attempt.id);
        const transition = { to: 'delivered', at: now } as const;
        return known.has(attempt.id) ? { carrierMessageId: 'found', receipt: { transition } } : undefined;
      },
    }),
  );
  const dependencies = {
    messages,
    attemptRules,
    carriersFor: () => carriers,
    bodyOf: async () => ({ text: 'Hello' }),
    isDisabled: async () => false,
    ...nobodySuppressed,
    ...noOtpLegs,
    allowanceOf,
    pace: inMemoryPace(() => now),
    outbound: {
      enqueue: async (entries: readonly { delaySeconds: number }[]) =>
        entries.forEach(({ delaySeconds }) => {
          queued.push(addSeconds(now, delaySeconds));
        }),
    },
    clock: () => now,
    newClaimId: () => `claim-${Math.random()}`,
    sleep: async () => {},
  };
  const { message_id } = message;
  return {
    calls,
    known,
    lookups,
    queued,
    asked: () => calls.map(({ carrier, request }) => `${carrier} ${request.attempt.number}`),
    row: async () => (await messages.get(message_id)) as Message,
    view: async () => statusView((await messages.get(message_id)) as Message),
    show: () => dispatch(dependencies, message_id),
    /** Shows the message as often as the queue has it until then. */
    async until(seconds: number) {
      const end = addSeconds(created, seconds);
      for (let at = queued[0]; at !== undefined && at <= end; at = queued[0]) {
        queued.shift();
        if (at > now) now = at;
        await dispatch(dependencies, message_id);
        queued.sort((one, other) => one.getTime() - other.getTime());
      }
      now = end;
    },
    report: (attempt: number, to: 'sent' | 'delivered' | 'failed') =>
      recordReceipts(
        { messages, recordOptOut: async () => true, contacts: { note: async () => {} } },
        [
          {
            messageId: message_id,
            attempt,
            transition: { to, at: now, ...(to === 'failed' ? messageError('unreachable') : {}) },
          },
        ],
        1,
      ),
  };
}

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
    expect(await view()).not.toHaveProperty('possible_duplicate');
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

it('a sender that was selected goes to the preferred carrier only, and one that the request names to each', async () => {
  const { until, calls } = await world(
    { one: [notTaken], two: [accepted] },
    { sender: { identity: 'pool-1' }, from: 'ACME' },
  );
  await until(0);
  expect(calls.map(({ request: { message } }) => fromOf(message))).toEqual(['pool-1', 'ACME']);
});

it('a sender that the carrier chose is that of the message from then on, also in its status', async () => {
  const from = '+15005550006';
  const { until, view } = await world({ one: [{ ...accepted, from }] });
  expect((await view()).from).toBeNull();
  await until(0);
  expect(await view()).toMatchObject({ status: 'sent', from });
});

describe('a lost response', () => {
  it.each([
    ['transactional', {}, 'expired' as const],
    ['promotional', { type: 'promotional' as const }, 'hand_over_unknown' as const],
  ])('of a %s message is sent again by nobody', async (_type, change, code) => {
    const { until, asked, view, queued } = await world({ one: ['lost'], two: [accepted] }, change);
    await until(299);
    expect((await view()).status).toBe('sending');
    await until(3600);
    expect(asked()).toEqual(['one 1']);
    expect(queued).toEqual([]);
    if (code === 'hand_over_unknown')
      expect(await view()).toMatchObject({
        status: 'failed',
        error: { code },
        attempts: [{ outcome: 'unknown' }],
      });
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

  it('is settled as the send says, not the stage', async () => {
    const { until, asked, view } = await world(
      { one: ['lost'], two: [accepted] },
      { on_unknown: 'send_again' },
    );
    await until(301);
    expect(asked()).toEqual(['one 1', 'two 2']);
    expect((await view()).possible_duplicate).toBe(true);
  });

  it('is settled by a repeat of the same attempt where the carrier recognizes it', async () => {
    const { until, asked, calls, view } = await world({ one: ['lost', accepted] }, {}, 'repeat');
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

it('the carrier is asked about a sent message whose receipt may be lost', async () => {
  const { until, show, known, lookups, view, row } = await world({ one: [accepted] });
  await until(5);
  await show();
  expect((await view()).status).toBe('sent');
  known.add(`${(await row()).message_id}.1`);
  await show();
  expect(lookups).toHaveLength(2);
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
