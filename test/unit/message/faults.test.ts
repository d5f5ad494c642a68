import { expect, it } from '@jest/globals';
import { runMessages } from '../../support/message/message-run.ts';

/** `npm run test:all -- faults` runs thousands of messages. */
const settings = { seed: 12, total: 60, skewMaxMs: 0 };
const small = { ...settings, seed: 102, total: 20 };

it('finds nothing wrong, with right clocks and with wrong ones, and the same for the same seed', async () => {
  expect((await runMessages(settings)).violations).toEqual([]);
  expect((await runMessages({ ...settings, skewMaxMs: 120_000 })).violations).toEqual([]);
  const first = await runMessages(small);
  expect(first.violations).toEqual([]);
  expect(await runMessages(small)).toEqual(first);
});
