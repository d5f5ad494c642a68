/** Of several attempts that carriers may have: who is asked next, which one is shown, and what they cost (contract 16.3). */
import { describe, expect, it } from '@jest/globals';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { addAttemptCost, claimMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { entersState, withCalls } from '../../support/engine/test-context.ts';
import {
  accepted,
  notTaken,
  ownRefusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const sendAgain = { onUnknown: 'send_again' } as const;

describe('after an attempt of which nothing is known', () => {
  const sentByTheFirst = { status: 'sent', carrier: 'one', possible_duplicate: true };

  it('a carrier that has not taken the message is asked again before the first', async () => {
    const { until, asked } = await world({ one: ['lost'], two: [notTaken, accepted] }, sendAgain);
    await until(340);
    expect(asked()).toEqual(['one 1', 'two 2', 'two 3']);
  });

  it('a carrier that cannot be reached for 30 s is left for the first', async () => {
    const { until, asked, view } = await world({ one: ['lost', accepted], two: [notTaken] }, sendAgain);
    await until(400);
    expect(asked().slice(0, 3)).toEqual(['one 1', 'two 2', 'two 3']);
    expect(asked().at(-1)).toMatch(/^one /);
    expect(await view()).toMatchObject(sentByTheFirst);
  });

  it('a carrier that refuses for a reason of its own is left for the first', async () => {
    const { until, asked, view } = await world({ one: ['lost', accepted], two: [ownRefusal] }, sendAgain);
    await until(400);
    expect(asked()).toEqual(['one 1', 'two 2', 'one 3']);
    expect(await view()).toMatchObject(sentByTheFirst);
  });

  it('nobody is asked a third time if the first is unknown again and the others have refused', async () => {
    const { until, asked } = await world({ one: ['lost', 'lost', accepted], two: [ownRefusal] }, sendAgain);
    await until(3500);
    expect(asked()).toEqual(['one 1', 'two 2', 'one 3']);
  });

  it('nobody is asked to send a one-time password that was verified or has expired', async () => {
    const expires_at = '2026-11-20T11:00:00.000Z';
    const otp = { otp_id: 'otp_1', code_length: 6, expires_at, attempts_remaining: 5 };
    const ended = { isOtpPending: false };
    const { until, asked } = await world({ one: ['lost'], two: [accepted] }, { ...sendAgain, otp }, ended);
    await until(400);
    expect(asked()).toEqual(['one 1']);
  });
});

describe('the status', () => {
  it('shows the attempt that a receipt proves, with its carrier and its sender', async () => {
    const change = { ...sendAgain, sender: { identity: 'ACME' } };
    const { until, report, view } = await world({ one: ['lost'], two: ['lost'] }, change);
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
  ] as const)('names the carrier of a delivered attempt before one that %s', async (_what, second) => {
    for (const to of ['sent', 'delivered'] as const) {
      const { until, report, row, show, view, lookups } = await world(
        { one: ['lost'], two: [second] },
        sendAgain,
      );
      await until(310);
      const { status } = await row();
      await report(1, to);
      if (to === 'sent' && status !== 'sent' && status !== 'failed') {
        await until(3600);
        await show();
        expect(lookups).toContainEqual(expect.stringMatching(/\.1$/));
      }
      if (to === 'delivered') expect(await view()).toMatchObject({ status: 'delivered', carrier: 'one' });
    }
  });
});

describe('the cost', () => {
  it('is that of each attempt, once however often it is reported, and the carrier’s figure replaces an estimate', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: [accepted] }, sendAgain);
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
    'of an attempt without a response is its estimate, once it is reported as %s without a price',
    async (to) => {
      const { until, report, view } = await world({ one: ['lost'] }, { onUnknown: 'wait' });
      await until(10);
      expect(await view()).toMatchObject({ cost: null });
      await report(1, to);
      await report(1, to);
      expect(await view()).toMatchObject({ cost: 0.01, currency: 'USD' });
      await report(1, to, { cost: 0.02, currency: 'EUR' });
      expect(await view()).toMatchObject({ cost: 0.02, currency: 'EUR' });
    },
  );

  it('that a carrier reported is kept if an estimate in another currency follows', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: [accepted] }, sendAgain);
    await until(400);
    await report(2, 'delivered', { cost: 0.05, currency: 'EUR' });
    await report(1, 'sent');
    expect(await view()).toMatchObject({ cost: 0.05, currency: 'EUR' });
  });

  it('of two attempts without a response is an estimate each, once they are reported without a price', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: ['lost'] }, sendAgain);
    await until(400);
    await report(1, 'delivered');
    expect(await view()).toMatchObject({ cost: 0.01 });
    await report(2, 'delivered');
    expect(await view()).toMatchObject({ cost: 0.02 });
  });

  it('is the price that comes with `sent`, after the hand-over has noted the estimate', async () => {
    const { until, report, view, row } = await world({ one: [accepted] });
    await until(10);
    expect(await view()).toMatchObject({ status: 'sent', cost: 0.01 });
    await report(1, 'sent', { cost: 0.05, currency: 'EUR' });
    expect(await view()).toMatchObject({ status: 'sent', cost: 0.05, currency: 'EUR' });
    expect((await row()).cost_reported).toBe(true);
  });

  it('is estimated once a receipt comes, if the worker died before it noted one', async () => {
    const { until, report, view, dieAtCost } = await world({ one: ['lost'], two: [accepted] }, sendAgain);
    dieAtCost();
    await expect(until(400)).rejects.toThrow('died');
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two', cost: null });
    await report(2, 'delivered');
    expect(await view()).toMatchObject({ status: 'delivered', cost: 0.01 });
  });

  it('of a failed attempt is the price of its report, also if the next attempt begins at that moment', async () => {
    const { context } = inMemoryStores();
    const end = addSeconds(created, 300).toISOString();
    const one = { number: 1, carrier: 'aws', at: created.toISOString(), deadline: end } as const;
    const two = { ...one, number: 2, carrier: 'twilio' } as const;
    const claimed = { handover_claim: 'claim', handover_until: end, attempt: 1, attempts: [one] };
    const { message_id } = aMessage({});
    const stored = aMessage({ message_id, status: 'sending', ...claimed, expires_at: end });
    await createMessage(context, stored);
    let begun = false;
    const racing = withCalls(context, async (call, run) => {
      const attempts = [{ ...one, outcome: 'unknown' as const }, two];
      const isFirst = !begun && entersState(call);
      begun ||= isFirst;
      if (isFirst)
        await claimMessage(context, stored, { claimId: 'second', at: created }, { attempts, attempt: 2 });
      return run();
    });
    const price = { cost: 0.02, currency: 'USD' };
    const dependencies = {
      ...racing,
      priceOf: () => price,
    };
    const receipt = {
      messageId: message_id,
      attempt: 1,
      transition: { to: 'failed', at: created, ...price },
    } as const;
    await recordReceipts(dependencies, [receipt], 1);
    await addAttemptCost(context, message_id, { ...price, attempt: 2, cost: 0.05, reported: true });
    expect(await readMessage(context, message_id)).toMatchObject({
      status: 'sending',
      failed_attempt: 1,
      cost: 0.07,
    });
  });
});
