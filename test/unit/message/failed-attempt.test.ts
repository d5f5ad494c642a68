/** An attempt that failed, or was not taken, ends the message only where no other may reach the person (contract 16.4). */
import { describe, expect, it } from '@jest/globals';
import {
  accepted,
  notTaken,
  ownRefusal,
  refusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';

describe('of several attempts that carriers may have', () => {
  it('a failure is not hidden by an older report of the same attempt, while the next one waits', async () => {
    const { until, report, asked, view } = await world(
      { one: ['lost'], two: [throttled, throttled, accepted] },
      { onUnknown: 'send_again' },
    );
    await until(301);
    await report(1, 'failed');
    await report(1, 'sent');
    await until(400);
    expect(asked().length).toBeGreaterThan(2);
    expect(await view()).toMatchObject({ status: 'sent', carrier: 'two' });
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
          { onUnknown: 'send_again' },
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
          { onUnknown: 'send_again' },
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
      { onUnknown: 'wait' },
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
      { onUnknown: 'send_again' },
    );
    await until(305);
    await report(2, 'failed');
    await report(1, 'sent');
    expect((await row()).status).toBe('sent');
  });

  it('an older report of sent does not undo that the attempt failed', async () => {
    const { until, report, row } = await world({ one: ['lost'], two: ['lost'] }, { onUnknown: 'send_again' });
    await until(310);
    await report(1, 'failed');
    await report(1, 'sent');
    expect(await row()).toMatchObject({ status: 'sending', failed_attempt: 1 });
    await report(2, 'failed');
    expect((await row()).status).toBe('failed');
  });
});
