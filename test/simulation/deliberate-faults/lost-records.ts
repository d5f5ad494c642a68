/** Faults of what is found again after the relay has lost records of the stream. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'an event whose report was written minutes later is lost with its record': {
    theme: 'messages',
    promise: '6.5',
    changes: [
      {
        file: 'shared/relay/expire-messages.ts',
        replace: 'const reportSeconds = 86_400;',
        by: 'const reportSeconds = clockAheadSeconds;',
      },
    ],
  },
  'an event by a clock that is two minutes ahead is lost with its record': {
    theme: 'opt-outs',
    promise: '6.5',
    changes: [
      {
        file: 'shared/relay/expire-messages.ts',
        replace: 'export const clockAheadSeconds = 180;',
        by: 'export const clockAheadSeconds = 60;',
      },
    ],
  },
  'an event of a message that was scheduled days ahead is lost with its record': {
    theme: 'schedules',
    promise: '6.5',
    changes: [
      {
        file: 'shared/relay/add-missed-messages.ts',
        replace: 'scheduledAhead.daysMax * 86_400 + validityMaxSeconds',
        by: 'validityMaxSeconds',
      },
    ],
  },
  'the word of a person for further clients is lost with its record': {
    theme: 'opt-outs',
    promise: '6.5',
    changes: [
      {
        file: 'shared/relay/add-missed-messages.ts',
        replace: "const direction = events === undefined ? 'outbound' : 'with_copies';",
        by: "const direction = events === undefined ? 'outbound' : 'all';",
      },
    ],
  },
};
