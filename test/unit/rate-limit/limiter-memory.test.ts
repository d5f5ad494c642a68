import { expect, it } from '@jest/globals';
import { checkRate } from '../../../shared/limit/limiter.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');

it('a refusal that a process remembers costs no call for 5 s, never past the window, and not once the limit is another', async () => {
  let calls = 0;
  const { dynamo, names } = inMemoryTables({
    around: (_command, call) => {
      calls += 1;
      return call();
    },
  });
  let current = { perMinute: 1, perHour: 1, perDay: 1 };
  const context = testContext({ dynamo, names });
  const subject = { kind: 'client', clientId: 'client_a' } as const;
  const check = (seconds: number) =>
    checkRate(context, subject, 'sms_send', current, addSeconds(noon, seconds));
  for (const [seconds, callsAfter] of [
    [0, 1],
    [0, 2],
    [4.9, 2],
    [5, 3],
    [58, 4],
    [60, 5],
  ] as const) {
    await check(seconds);
    expect(calls).toBe(callsAfter);
  }
  current = { ...current, perMinute: 2 };
  await check(60);
  expect(calls).toBe(6);
});
