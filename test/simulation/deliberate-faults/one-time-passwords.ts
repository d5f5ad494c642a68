/** Faults of one-time passwords. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a code may be tried once more': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: 'shared/otp/otp-store.dynamo.ts',
        replace: 'attempts < max_attempts AND NOT',
        by: 'attempts <= max_attempts AND NOT',
      },
    ],
  },
  'an allowance of passwords is in force only minutes later': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-holds.dynamo.ts',
        replace: 'rememberedSeconds = 20;',
        by: 'rememberedSeconds = 200;',
      },
    ],
  },
  'passwords that nobody verifies are neither held nor noticed': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/review-traffic.ts',
        replace: 'verified < rule.minimumShare * sends',
        by: 'verified < rule.minimumShare - 1',
      },
    ],
  },
  'a possible duplicate is not declared': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: 'shared/message/dispatch/next-step.ts',
        replace: "attempts.slice(0, -1).some(({ outcome }) => outcome === 'unknown')",
        by: 'attempts.slice(0, -1).some(({ outcome }) => outcome === undefined)',
      },
    ],
  },
};
