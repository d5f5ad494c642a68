/** Of several attempts that carriers may have, the status shows the one that a receipt proves (contract 16.3). */
import { describe, expect, it } from '@jest/globals';
import {
  accepted,
  notTaken,
  ownRefusal,
  throttled,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';

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
});
