/** Faults of the way of a message: stored, handed over, counted. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const messageStore = 'shared/message/store/message-store.dynamo.ts';

const attempts = 'shared/message/dispatch/next-step.ts';

export const faults: DeliberateFaults = {
  'a claim is taken from its holder': {
    theme: 'messages',
    promise: '5.1',
    changes: [{ file: messageStore, replace: ' AND handover_until <= :now', by: '' }],
  },
  'a final state can be left again': {
    theme: 'messages',
    promise: '6.1',
    changes: [
      {
        file: messageStore,
        replace: "[`#status IN (${states.join(', ')})`, ...conditions].join(' AND ')",
        by: "[`attribute_exists(message_id) OR #status IN (${states.join(', ')})`, ...conditions].join(' AND ')",
      },
    ],
  },
  'a queued message is not put on its queue': {
    theme: 'messages',
    promise: '5.1',
    changes: [
      {
        file: 'shared/relay/relay.ts',
        replace: '...queued.flatMap(({ after }) => outboundEntriesOf(after, now)),',
        by: '',
      },
    ],
  },
  'an addition that was begun is added again to rows that have it': {
    theme: 'messages',
    promise: '11.1',
    changes: [
      {
        file: 'shared/usage/count-journal.dynamo.ts',
        replace: 'seen >= number) return',
        by: 'seen > number) return',
      },
    ],
  },
  'a message that must wait for its carrier is sent again': {
    theme: 'messages',
    promise: '16.2',
    changes: [
      { file: attempts, replace: "if (isDue && choice === 'send_again') {", by: 'if (isDue) {' },
      {
        file: attempts,
        replace: "if (isDue && choice === 'fail') return",
        by: 'if (choice === undefined) return',
      },
    ],
  },
  'a possible duplicate is not declared': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: attempts,
        replace: "attempts.slice(0, -1).some(({ outcome }) => outcome === 'unknown')",
        by: 'attempts.slice(0, -1).some(({ outcome }) => outcome === undefined)',
      },
    ],
  },
};
