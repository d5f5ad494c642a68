/** A bulk of a sender with a pace, by the workers that a stage has, with a virtual clock. */
import { expect, it } from '@jest/globals';
import { runs } from '../../fuzz/runs.ts';
import { pacingFigures } from '../../support/message/pacing-figures.ts';
import { simulatedPacing } from '../../support/message/simulated-pacing.ts';

it.each([
  [runs.numRuns < 5000 ? 4000 : 20_000, 50],
  [1000, 8],
])(
  '%i bulk messages keep the pace of %i a second, and delay neither one-time passwords nor other clients',
  async (total, perSecond) => {
    const run = await simulatedPacing({ total, perSecond, seed: 1 });
    expect(run.bulkMs).toHaveLength(total);
    expect(pacingFigures(run).unmet).toEqual([]);
  },
);
