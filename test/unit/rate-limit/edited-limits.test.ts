import { expect, it } from '@jest/globals';
import { runEditedLimits } from '../../support/rate-limit/edited-limits-run.ts';

/** `npm run test:faults` has thousands of requests. */
it.each([1, 2])(
  'limits that change while calls fail are not passed, no edit by hand is undone, and no other client waits (%i)',
  async (seed) => {
    const { violations, admitted, refused, otherSeconds } = await runEditedLimits({ seed, requests: 300 });
    expect(violations).toEqual([]);
    expect([admitted, refused].every((count) => count > 20)).toBe(true);
    expect(Math.max(...otherSeconds)).toBeLessThan(2);
  },
);
