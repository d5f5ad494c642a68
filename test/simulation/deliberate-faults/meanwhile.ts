/** Faults of what people change while a function is at work on it, and of what is counted or told once. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const compare = 'shared/message/suppression/compare-opt-outs.ts';

export const faults: DeliberateFaults = {
  'a number is put on the list of the carrier although its suppression was ended meanwhile': {
    theme: 'opt-outs',
    promise: '13.4',
    changes: [
      {
        file: compare,
        replace: 'if (listed !== undefined || !(await isStoppedForAll())) return;',
        by: 'if (listed !== undefined) return;',
      },
      {
        file: compare,
        replace: 'if (!isAdded || (await isStoppedForAll()))',
        by: 'if (!isAdded || listed === undefined)',
      },
    ],
  },
  'the rows of senders are judged by a scan that may be old': {
    theme: 'administration',
    promise: '10.5',
    changes: [
      {
        file: 'shared/edited-table/feedback-store.dynamo.ts',
        replace: 'new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey })',
        by: 'new ScanCommand({ TableName, ExclusiveStartKey })',
      },
    ],
  },
  'a refusal is counted again where what is kept of it was not stored': {
    theme: 'administration',
    promise: '8.5',
    changes: [
      {
        file: 'shared/http/refusals.dynamo.ts',
        replace: "}).catch((error: unknown) => logWarning('refusal not kept', error)),",
        by: '}),',
      },
    ],
  },
};
