/** Faults of the questions to carriers about what they took, when a message ends. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const callCarrier = 'shared/message/dispatch/call-carrier.ts';
const dispatch = 'shared/message/dispatch/dispatch-message.ts';
const expire = 'shared/relay/expire-messages.ts';

const canBeAsked = 'if (canBeAsked(message) && now < addSeconds(expiresAt, repairSeconds)) {';
const askedSoonOnly = {
  file: expire,
  replace: canBeAsked,
  by: 'if (canBeAsked(message) && now < addSeconds(expiresAt, 900)) {',
};

export const faults: DeliberateFaults = {
  'one question that fails expires the message': {
    theme: 'messages',
    promise: '16.7',
    changes: [
      {
        file: dispatch,
        replace: 'const isRepeated = hasFailed && now <',
        by: 'const isRepeated = hasFailed && now >',
      },
    ],
  },
  'a review that comes late expires the message unasked': {
    theme: 'messages',
    promise: '16.7',
    changes: [askedSoonOnly],
  },
  'an answer of a carrier that cannot be written counts as none': {
    theme: 'messages',
    promise: '16.7',
    changes: [
      {
        file: callCarrier,
        replace: '  for (const failure of failures) {\n    hasFailed = true;',
        by: '  for (const failure of failures) {',
      },
    ],
  },
  'a carrier that knows no more than that a message went out is asked for 15 minutes': {
    theme: 'messages',
    promise: '6.4',
    changes: [
      askedSoonOnly,
      {
        file: dispatch,
        replace: 'if (!isOver || isRepeated) return asked;',
        by: "if (!isOver || isRepeated || asked.outcome === 'looked_up') return asked;",
      },
    ],
  },
};
