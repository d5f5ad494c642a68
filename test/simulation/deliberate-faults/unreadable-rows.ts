/** Faults where a row cannot be read, because a person edited it by hand or a carrier named something that does not fit. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a report that cannot be recorded holds back what people write': {
    theme: 'opt-outs',
    promise: '16.5',
    changes: [
      {
        file: 'shared/message/dispatch/record-receipts.ts',
        replace: 'recordAll(ofOne).catch((error: unknown) => failures.push(error))',
        by: 'recordAll(ofOne)',
      },
    ],
  },
  'a time of a carrier in microseconds is stored': {
    theme: 'messages',
    promise: '16.5',
    changes: [
      {
        file: 'shared/carrier/aws/reports.ts',
        replace: 'momentOf(event, new Date(notifiedAt))',
        by: 'new Date(event.eventTimestamp)',
      },
    ],
  },
};
