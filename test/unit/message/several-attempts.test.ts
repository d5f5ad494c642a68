/** What is shown of a message that several carriers may have, and what it costs (contract 16.3). */
import { describe, expect, it } from '@jest/globals';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import {
  accepted,
  notTaken,
  ownRefusal,
  refusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const anOtp = {
  otp_id: 'otp_1',
  code_length: 6,
  expires_at: '2026-11-20T11:00:00.000Z',
  attempts_remaining: 5,
};

describe('of several attempts that carriers may have', () => {
  it('the one that a receipt proves is shown, with its carrier and its sender', async () => {
    const { until, report, view } = await world(
      { one: ['lost'], two: ['lost'] },
      { on_unknown: 'send_again', sender: { identity: 'ACME' } },
    );
    await until(400);
    expect(await view()).toMatchObject({ carrier: 'two', from: null, possible_duplicate: true });
    await report(1, 'delivered');
    expect(await view()).toMatchObject({
      status: 'delivered',
      carrier: 'one',
      from: 'ACME',
      attempts: [{ outcome: 'accepted' }, { outcome: 'unknown' }],
    });
  });

  it.each([
    ['was throttled', throttled],
    ['was not taken', notTaken],
    ['was refused', ownRefusal],
    ['is not known either', 'lost'],
    ['was accepted', accepted],
  ] as const)(
    'a receipt of an earlier attempt than the one that %s names its carrier',
    async (_what, second) => {
      for (const to of ['sent', 'delivered'] as const) {
        const { until, report, row, show, view, lookups } = await world(
          { one: ['lost'], two: [second] },
          { on_unknown: 'send_again' },
        );
        await until(310);
        const { status } = await row();
        await report(1, to);
        if (to === 'sent' && status !== 'sent' && status !== 'failed') {
          await show();
          expect(lookups).toContainEqual(expect.stringMatching(/\.1$/));
        }
        if (to === 'delivered') expect(await view()).toMatchObject({ status: 'delivered', carrier: 'one' });
      }
    },
  );

  it('each costs, once however often it is reported, and the carrier’s figure replaces an estimate', async () => {
    const { until, report, view } = await world(
      { one: ['lost'], two: [accepted] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    expect(await view()).toMatchObject({ status: 'sent', cost: 0.01 });
    const price = (cost: number) => ({ cost, currency: 'USD' });
    for (const repeat of [1, 2]) {
      await report(1, 'delivered', price(0.02));
      expect({ repeat, cost: (await view()).cost }).toEqual({ repeat, cost: 0.03 });
    }
    await report(2, 'delivered', price(0.05));
    await report(2, 'sent', price(0.05));
    expect(await view()).toMatchObject({ cost: 0.07, currency: 'USD' });
  });

  it.each(['sent', 'delivered', 'failed'] as const)(
    'one without a response costs its estimate, once it is reported as %s without a price',
    async (to) => {
      const { until, report, view } = await world({ one: ['lost'] }, { on_unknown: 'wait' });
      await until(10);
      expect(await view()).toMatchObject({ cost: null });
      await report(1, to);
      await report(1, to);
      expect(await view()).toMatchObject({ cost: 0.01, currency: 'USD' });
      await report(1, to, { cost: 0.02, currency: 'EUR' });
      expect(await view()).toMatchObject({ cost: 0.02, currency: 'EUR' });
    },
  );

  it('an estimate in another currency does not take the place of what a carrier reported', async () => {
    const { until, report, view } = await world(
      { one: ['lost'], two: [accepted] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    await report(2, 'delivered', { cost: 0.05, currency: 'EUR' });
    await report(1, 'sent');
    expect(await view()).toMatchObject({ cost: 0.05, currency: 'EUR' });
  });

  it('two without a response cost an estimate each, once they are reported without a price', async () => {
    const { until, report, view } = await world(
      { one: ['lost'], two: ['lost'] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    await report(1, 'delivered');
    expect(await view()).toMatchObject({ cost: 0.01 });
    await report(2, 'delivered');
    expect(await view()).toMatchObject({ cost: 0.02 });
  });

  it('a price that comes with `sent`, after the hand-over has noted it, replaces the estimate', async () => {
    const { until, report, view, row } = await world({ one: [accepted] });
    await until(10);
    expect(await view()).toMatchObject({ status: 'sent', cost: 0.01 });
    await report(1, 'sent', { cost: 0.05, currency: 'EUR' });
    expect(await view()).toMatchObject({ status: 'sent', cost: 0.05, currency: 'EUR' });
    expect((await row()).cost_reported).toBe(true);
  });

  it('after one that is unknown, a carrier that has not taken the message is asked again before the first', async () => {
    const { until, asked } = await world(
      { one: ['lost'], two: [notTaken, accepted] },
      { on_unknown: 'send_again' },
    );
    await until(340);
    expect(asked()).toEqual(['one 1', 'two 2', 'two 3']);
  });

  it('after one that is unknown, a carrier that cannot be reached for 30 s is left for the first', async () => {
    const { until, asked, view } = await world(
      { one: ['lost', accepted], two: [notTaken] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    expect(asked().slice(0, 3)).toEqual(['one 1', 'two 2', 'two 3']);
    expect(asked().at(-1)).toMatch(/^one /);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'one', possible_duplicate: true });
  });

  it('after one that is unknown and a carrier that refuses for a reason of its own, the first is asked again', async () => {
    const { until, asked, view } = await world(
      { one: ['lost', accepted], two: [ownRefusal] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    expect(asked()).toEqual(['one 1', 'two 2', 'one 3']);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'one', possible_duplicate: true });
  });

  it('where all have refused but one that is unknown, and that one is unknown again, no further one is made', async () => {
    const { until, asked } = await world(
      { one: ['lost', 'lost', accepted], two: [ownRefusal] },
      { on_unknown: 'send_again' },
    );
    await until(3500);
    expect(asked()).toEqual(['one 1', 'two 2', 'one 3']);
  });

  it('a cost that the worker died before it noted is estimated, once a receipt comes', async () => {
    const { until, report, view, dieAtCost } = await world(
      { one: ['lost'], two: [accepted] },
      { on_unknown: 'send_again' },
    );
    dieAtCost();
    await expect(until(400)).rejects.toThrow('died');
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two', cost: null });
    await report(2, 'delivered');
    expect(await view()).toMatchObject({ status: 'delivered', cost: 0.01 });
  });

  it('a failure is not hidden by an older report of the same attempt, while the next one waits', async () => {
    const { until, report, asked, view } = await world(
      { one: ['lost'], two: [throttled, throttled, accepted] },
      { on_unknown: 'send_again' },
    );
    await until(301);
    await report(1, 'failed');
    await report(1, 'sent');
    await until(400);
    expect(asked().length).toBeGreaterThan(2);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two' });
  });

  it.each([
    ['a carrier whose response was lost is asked, and has delivered it', true, 'delivered'],
    ['a carrier whose response was lost is asked, and knows nothing of it', false, 'expired'],
  ])('%s, before the message expires', async (_what, isKnown, status) => {
    const { until, show, known, row, lookups } = await world({ one: ['lost'] }, { on_unknown: 'wait' });
    await until(10);
    const { message_id } = await row();
    if (isKnown) known.add(`${message_id}.1`);
    await until(3601);
    await show();
    expect(lookups).toEqual([`${message_id}.1`]);
    expect((await row()).status).toBe(status);
  });

  it.each([
    ['verified or expired', false, ['one 1']],
    ['still to be verified', true, ['one 1', 'two 2']],
  ])('a one-time password that is %s: who is asked to send it', async (_what, isPending, carriers) => {
    const { until, asked } = await world(
      { one: ['lost'], two: [accepted] },
      { on_unknown: 'send_again', otp: anOtp },
      { isOtpPending: isPending },
    );
    await until(400);
    expect(asked()).toEqual(carriers);
  });

  it('the one that a receipt proves is asked about before the message expires, by its carrier’s id', async () => {
    const { until, report, show, lookups } = await world(
      { one: ['lost'], two: ['lost'] },
      { on_unknown: 'send_again' },
    );
    await until(400);
    await report(1, 'sent');
    await show();
    expect(lookups).toContainEqual(expect.stringMatching(/\.1$/));
  });

  it('one that the carrier has not taken is not failed by its report: the next carrier is asked', async () => {
    for (const first of [ownRefusal, notTaken, throttled]) {
      const { show, report, until, row, asked } = await world({ one: [first, accepted], two: [accepted] });
      await show();
      await report(1, 'failed');
      await until(100);
      expect((await row()).status).toBe('sent');
      expect(asked()).toHaveLength(2);
    }
  });

  it.each([
    ['refused', refusal],
    ['refused for a reason of the carrier’s own', ownRefusal],
    ['throttled', throttled],
    ['not taken', notTaken],
  ] as const)(
    'a second that is %s counts for nothing, also where the first was reported as sent during its call',
    async (_what, second) => {
      for (const reports of [['sent'], ['sent', 'failed']] as const) {
        let duringSecond = async () => {};
        const { until, report, row } = await world(
          { one: ['lost'], two: [second] },
          { on_unknown: 'send_again' },
          { duringCall: async (attempt) => (attempt === 2 ? duringSecond() : undefined) },
        );
        duringSecond = async () => {
          for (const to of reports) await report(1, to);
        };
        await until(310);
        if (reports.length === 1) {
          expect(await row()).toMatchObject({ status: 'sent', attempts: [{}, { outcome: second.outcome }] });
          await report(1, 'failed');
        }
        expect((await row()).status).toBe('failed');
      }
    },
  );

  it.each([
    ['refused', refusal],
    ['not taken', notTaken],
  ] as const)(
    'a second that is %s at any moment while it is recorded that the first failed ends the message',
    async (_what, second) => {
      for (let calls = 0; calls < 12; calls += 1) {
        let duringSecond = async () => {};
        let left = Number.POSITIVE_INFINITY;
        let goOn = () => {};
        let paused = () => {};
        const around = async (_call: unknown, run: () => object) => {
          left -= 1;
          if (left !== -1) return run();
          const continued = new Promise<void>((resolve) => {
            goOn = resolve;
          });
          paused();
          await continued;
          return run();
        };
        const { until, report, row } = await world(
          { one: ['lost'], two: [second] },
          { on_unknown: 'send_again' },
          { around, duringCall: async (attempt) => (attempt === 2 ? duringSecond() : undefined) },
        );
        let reported: Promise<unknown> = Promise.resolve();
        duringSecond = async () => {
          await report(1, 'sent');
          left = calls;
          const isPaused = new Promise<void>((resolve) => {
            paused = resolve;
          });
          reported = report(1, 'failed');
          await Promise.race([isPaused, reported]);
          left = Math.min(left, -1);
        };
        await until(310);
        goOn();
        await reported;
        expect([calls, (await row()).status]).toEqual([calls, 'failed']);
      }
    },
  );

  it('a refused repeat does not fail a message that its report has made sent meanwhile', async () => {
    let duringRepeat = async () => {};
    let calls = 0;
    const { until, report, row } = await world(
      { one: ['lost', refusal] },
      { on_unknown: 'wait' },
      { settledBy: 'repeat', duringCall: async () => (++calls === 2 ? duringRepeat() : undefined) },
    );
    duringRepeat = async () => void (await report(1, 'sent'));
    await until(100);
    expect(calls).toBe(2);
    expect((await row()).status).toBe('sent');
  });

  it('a report of the first is taken although the second, which was refused, is reported as failed', async () => {
    const { until, report, row } = await world(
      { one: ['lost'], two: [ownRefusal] },
      { on_unknown: 'send_again' },
    );
    await until(305);
    await report(2, 'failed');
    await report(1, 'sent');
    expect((await row()).status).toBe('sent');
  });

  it('an older report of sent does not undo that the attempt failed', async () => {
    const { until, report, row } = await world(
      { one: ['lost'], two: ['lost'] },
      { on_unknown: 'send_again' },
    );
    await until(310);
    await report(1, 'failed');
    await report(1, 'sent');
    expect(await row()).toMatchObject({ status: 'sending', failed_attempt: 1 });
    await report(2, 'failed');
    expect((await row()).status).toBe('failed');
  });

  it('one whose carrier is asked after the end, and knows nothing, expires at once', async () => {
    const { until, row, show } = await world({ one: [accepted] });
    await until(3700);
    expect((await row()).status).toBe('sent');
    await show();
    expect((await row()).status).toBe('expired');
  });

  it('one that failed has the price of its report, also where the next attempt begins at that moment', async () => {
    const { messages } = inMemoryStores();
    const end = addSeconds(created, 300).toISOString();
    const one = { number: 1, carrier: 'aws', at: created.toISOString(), deadline: end } as const;
    const two = { ...one, number: 2, carrier: 'twilio' } as const;
    const claimed = { handover_claim: 'claim', handover_until: end, attempt: 1, attempts: [one] };
    const { message_id } = aMessage({});
    await messages.create(aMessage({ status: 'sending', ...claimed, expires_at: end }));
    let begun = false;
    const racing: typeof messages = {
      ...messages,
      async transition(...change) {
        const attempts = [{ ...one, outcome: 'unknown' as const }, two];
        if (!begun) await messages.recordAttempt(message_id, 'claim', { attempts, possiblyDoubled: true });
        begun = true;
        return messages.transition(...change);
      },
    };
    const price = { cost: 0.02, currency: 'USD' };
    const dependencies = {
      messages: racing,
      recordOptOut: async () => true,
      contacts: { note: async () => {} },
      priceOf: () => price,
    };
    const receipt = {
      messageId: message_id,
      attempt: 1,
      transition: { to: 'failed', at: created, ...price },
    } as const;
    await recordReceipts(dependencies, [receipt], 1);
    await messages.addCost(message_id, { ...price, attempt: 2, cost: 0.05, reported: true });
    expect(await messages.get(message_id)).toMatchObject({
      status: 'sending',
      failed_attempt: 1,
      cost: 0.07,
    });
  });
});
