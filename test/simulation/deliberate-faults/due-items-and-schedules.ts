/** Faults of due items, of scheduled messages and of their cancellation. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const processDueItems = 'shared/recovery/process-due-items.ts';
const message = 'shared/message/message.ts';

export const faults: DeliberateFaults = {
  'a new message is not noted among the due items': {
    theme: 'messages',
    promise: '6.4',
    changes: [
      {
        file: 'shared/relay/relay.ts',
        replace: "dueItemIndex.add('messages', stored.map(firstReview)),",
        by: "dueItemIndex.add('messages', []),",
      },
    ],
  },
  'due items are removed before they are noted again': {
    theme: 'messages',
    promise: '6.4',
    changes: [
      {
        file: processDueItems,
        replace:
          '      if (later.length > 0) await run.dueItemIndex.add(list, later);\n      await run.dueItemIndex.remove(entries);',
        by: '      await run.dueItemIndex.remove(entries);\n      if (later.length > 0) await run.dueItemIndex.add(list, later);',
      },
    ],
  },
  'a due item whose review failed is dropped': {
    theme: 'messages',
    promise: '6.4',
    changes: [
      {
        file: processDueItems,
        replace: 'again instanceof Error ? addSeconds(run.clock(), afterFailureSeconds) : again',
        by: 'again instanceof Error ? undefined : again',
      },
    ],
  },
  'a message that is scheduled for a later hour is not noted': {
    theme: 'schedules',
    promise: '5.3',
    changes: [
      {
        file: 'shared/relay/relay.ts',
        replace:
          "dueItemIndex.add('scheduled', timed.filter((each) => !isNear(each, now)).map(timedDueItemOf)),",
        by: "dueItemIndex.add('scheduled', []),",
      },
    ],
  },
  'a scheduled message goes out a minute early': {
    theme: 'schedules',
    promise: '5.3',
    changes: [
      {
        file: 'shared/message/dispatch/scheduled-entries.ts',
        replace: 'outboundEntryOf(message, Math.ceil((dueAt.getTime() - now.getTime()) / 1000))',
        by: 'outboundEntryOf(message, Math.ceil((dueAt.getTime() - now.getTime()) / 1000) - 60)',
      },
      {
        file: 'shared/message/dispatch/dispatch-message.ts',
        replace: "if ((message.scheduled_at ?? '') > now.toISOString()) {",
        by: "if ((message.scheduled_at ?? '') > new Date(now.getTime() + 60_000).toISOString()) {",
      },
    ],
  },
  'a message that is canceled at its time goes out': {
    theme: 'schedules',
    promise: '5.3',
    changes: [
      {
        file: message,
        replace: "queued: { from: ['scheduled']",
        by: "queued: { from: ['scheduled', 'canceled']",
      },
    ],
  },
  'a queued message can be canceled': {
    theme: 'schedules',
    promise: '5.3',
    changes: [
      {
        file: message,
        replace: "canceled: { from: ['scheduled']",
        by: "canceled: { from: ['scheduled', 'queued']",
      },
    ],
  },
};
