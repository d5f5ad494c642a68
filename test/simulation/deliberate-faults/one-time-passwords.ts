/** Faults of one-time passwords. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a code may be tried once more': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: 'shared/otp/otp-store.dynamo.ts',
        replace: 'attempts < max_attempts',
        by: 'attempts <= max_attempts',
      },
    ],
  },
  'a recipient of five passwords waits longer than ten minutes': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/otp/recipient-limit.ts',
        replace: 'Math.min(recipientWindowSeconds, Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000)))',
        by: 'Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000))',
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
