/** Faults of rate limits. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const rateCounter = 'shared/limit/rate-counter.dynamo.ts';

export const faults: DeliberateFaults = {
  'a limit admits one more': {
    theme: 'limits',
    promise: '4.2',
    changes: [{ file: rateCounter, replace: '${attribute} < ${limit}', by: '${attribute} <= ${limit}' }],
  },
  'the limit of the day is not checked': {
    theme: 'limits',
    promise: '4.2',
    changes: [
      { file: rateCounter, replace: "${hasRoom(day, ':per_day')} AND ", by: ':per_day = :per_day AND ' },
    ],
  },
  'other rows count from nothing when a limit needs more of them': {
    theme: 'limits',
    promise: '4.8',
    changes: [
      {
        file: 'shared/limit/limiter.ts',
        replace: 'const generation = await generationFor(key, limits, windows, now);',
        by: `const generation = shardCount(limits) === 1
          ? undefined
          : { limits, openedAt: 0, generation: 1, shards: shardCount(limits), carried: {} };`,
      },
    ],
  },
};
