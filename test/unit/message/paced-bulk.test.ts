/** A bulk of a sender with a pace, by the workers that a stage has, with a virtual clock. */
import { expect, it } from '@jest/globals';
import { brokenPacing } from '../../support/message/broken-pacing.ts';
import { simulatedPacing } from '../../support/message/simulated-pacing.ts';

it.each([
  [4000, 50],
  [1000, 8],
])(
  '%i bulk messages keep the pace of %i a second, and delay neither one-time passwords nor other clients',
  async (total, perSecond) => {
    const run = await simulatedPacing({ total, perSecond, seed: 1 });
    expect(run.bulkMs).toHaveLength(total);
    expect(brokenPacing(run)).toEqual([]);
  },
);
