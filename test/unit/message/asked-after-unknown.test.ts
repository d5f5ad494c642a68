/** After an attempt of which nothing is known: which carrier is asked to send the message, and when none is (contract 16.3). */
import { describe, expect, it } from '@jest/globals';
import {
  accepted,
  notTaken,
  ownRefusal,
  attemptWorld as world,
} from '../../support/message/attempt-world.ts';

const anOtp = {
  otp_id: 'otp_1',
  code_length: 6,
  expires_at: '2026-11-20T11:00:00.000Z',
  attempts_remaining: 5,
};

describe('of several attempts that carriers may have', () => {
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
});
