/** What carriers say at the worst moment neither doubles a message nor gives it a wrong state or cost (contract 16.3). */

import { describe, expect, it } from '@jest/globals';
import { storeSuppression } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import {
  accepted,
  notTaken,
  ownRefusal,
  refusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';
import { created } from '../../support/message/example-message.ts';

const sendAgain = { onUnknown: 'send_again' } as const;
const price = (cost: number) => ({ cost, currency: 'USD' });

describe('a repeated attempt', () => {
  it.each([
    ['throttled', throttled],
    ['not taken', notTaken],
    ['refused by the carrier for its own reasons', ownRefusal],
  ] as const)('that is %s proves nothing of the first call', async (_what, second) => {
    const { until, asked, view } = await world(
      { one: ['lost', second], two: [accepted] },
      { onUnknown: 'wait' },
      { settledBy: 'repeat' },
    );
    await until(3599);
    expect(new Set(asked())).toEqual(new Set(['one 1']));
    expect(asked().length).toBeGreaterThan(2);
    expect(await view()).toMatchObject({ status: 'sending' });
  });

  it('that the carrier throttles is declared where it is sent again', async () => {
    const { until, asked, view } = await world({ one: ['lost', throttled], two: [accepted] }, sendAgain, {
      settledBy: 'repeat',
    });
    await until(310);
    expect(asked().at(-1)).toBe('two 2');
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two', possible_duplicate: true });
  });

  it('is not made for a client that was disabled meanwhile', async () => {
    let disabled = false;
    const { until, asked, view, report } = await world(
      { one: ['lost'], two: [accepted] },
      { onUnknown: 'wait' },
      { settledBy: 'repeat', isDisabled: async () => disabled },
    );
    await until(10);
    const before = asked().length;
    disabled = true;
    await until(3590);
    expect(asked()).toHaveLength(before);
    await report(1, 'delivered');
    expect(await view()).toMatchObject({ status: 'delivered', carrier: 'one' });
  });

  it('is not made to a person who opted out meanwhile', async () => {
    const { context, row, until, asked } = await world(
      { one: ['lost'] },
      { onUnknown: 'wait' },
      { settledBy: 'repeat' },
    );
    await until(10);
    const before = asked().length;
    const { client_id, recipient } = await row();
    const wanted = { client_id, recipient, scope: 'all', source: 'client', at: created } as const;
    await storeSuppression(context, wanted);
    await until(3599);
    expect(asked()).toHaveLength(before);
  });

  it('fails the message where the recipient is refused', async () => {
    const { until, view } = await world(
      { one: ['lost', refusal], two: [accepted] },
      {},
      { settledBy: 'repeat' },
    );
    await until(10);
    expect(await view()).toMatchObject({ status: 'failed', error: { code: 'invalid_recipient' } });
  });
});

describe('an attempt whose outcome is unknown', () => {
  it.each(['receipt', 'repeat'] as const)(
    'is sent again at its deadline by a carrier settled by %s, also if the queue refused the message for that time',
    async (settledBy) => {
      let isDown = true;
      const options = { settledBy, enqueueFails: () => isDown };
      const { until, queued, asked } = await world(
        { one: ['lost'], two: [accepted] },
        { onUnknown: 'send_again' },
        options,
      );
      await expect(until(1)).rejects.toThrow('the queue is not available');
      isDown = false;
      // SQS shows the message again that the worker did not delete.
      queued.push(addSeconds(created, 60));
      await until(310);
      expect(asked().at(-1)).toBe('two 2');
    },
  );
});

describe('a carrier that refuses for its own reasons', () => {
  it.each([
    ['cannot be reached', notTaken],
    ['throttles', throttled],
  ] as const)('is not asked again while the other one %s for a while', async (_what, fault) => {
    const { until, asked, view } = await world({
      one: [ownRefusal],
      two: [fault, fault, fault, fault, fault, accepted],
    });
    await until(3600);
    expect(asked().filter((each) => each.startsWith('one'))).toEqual(['one 1']);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two' });
  });

  it('leaves the message to one that could not be reached before', async () => {
    const { until, asked, view } = await world({ one: [notTaken, ownRefusal], two: [notTaken, accepted] });
    await until(60);
    expect(asked()).toEqual(['one 1', 'two 2', 'one 3', 'two 4']);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two' });
  });
});

describe('a receipt of the first attempt', () => {
  it.each([
    ['refuses', refusal],
    ['refuses for its own reasons', ownRefusal],
  ] as const)('which comes before the second carrier %s keeps the message sent', async (_what, second) => {
    let receipt = async () => {};
    const { until, report, view } = await world({ one: ['lost'], two: [second] }, sendAgain, {
      duringCall: async (attempt) => (attempt === 2 ? receipt() : undefined),
    });
    receipt = async () => {
      await report(1, 'sent');
    };
    await until(310);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'one', error: null });
  });

  it('of a failure fails what the second carrier throttled', async () => {
    const { until, report, view } = await world({ one: ['lost'], two: [throttled] }, sendAgain);
    await until(310);
    await report(1, 'sent');
    await report(1, 'failed');
    expect(await view()).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
  });
});

describe('the cost', () => {
  it('of two attempts keeps that of the first where the carrier of the second is asked', async () => {
    const { until, report, show, known, row, view } = await world(
      { one: ['lost'], two: [accepted] },
      sendAgain,
    );
    await until(310);
    await report(1, 'sent', price(0.02));
    expect((await view()).cost).toBe(0.03);
    known.add(`${(await row()).message_id}.2`);
    await until(3600);
    await show();
    expect(await view()).toMatchObject({ status: 'delivered', cost: 0.06 });
  });

  it.each(['delivered', 'failed'] as const)(
    'that comes with a repeated %s replaces the estimate',
    async (to) => {
      const { until, report, view } = await world({ one: [accepted] });
      await until(5);
      await report(1, to);
      for (const repeat of [1, 2]) {
        await report(1, to, price(0.02));
        expect({ repeat, cost: (await view()).cost }).toEqual({ repeat, cost: 0.02 });
      }
    },
  );
});
