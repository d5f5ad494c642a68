/** What a message costs that several carriers may have: what they report, else what is estimated (contract 16.3). */
import { describe, expect, it } from '@jest/globals';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { accepted, attemptWorld as world } from '../../support/message/attempt-world.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

describe('of several attempts that carriers may have', () => {
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
