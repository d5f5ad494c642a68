/** Faults of a message that more than one carrier may be asked for. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const attempts = 'shared/message/dispatch/next-step.ts';

export const faults: DeliberateFaults = {
  'another carrier is asked although the first may have the message and its sender waits': {
    theme: 'messages',
    promise: '16.2',
    changes: [
      {
        file: attempts,
        replace: "if (isDue && choice === 'send_again') {",
        by: "if (isDue && choice !== 'fail') {",
      },
    ],
  },
  'a carrier that refused a message is asked for it again': {
    theme: 'messages',
    promise: '16.1',
    changes: [
      {
        file: attempts,
        replace: 'return inOrder.find(({ name }) => !hasRefused(name)) ?? inOrder[0];',
        by: 'return inOrder.find(({ name }) => name !== last || !hasRefused(name)) ?? inOrder[0];',
      },
    ],
  },
  'a message that may have gone out twice is not shown so': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: attempts,
        replace: "return attempts.slice(0, -1).some(({ outcome }) => outcome === 'unknown');",
        by: 'return attempts.length > 4;',
      },
    ],
  },
};
