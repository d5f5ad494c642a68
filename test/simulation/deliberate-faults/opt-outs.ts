/** Faults of opt-outs and suppressions. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a suppression is not read at the hand-over': {
    theme: 'opt-outs',
    promise: '13.3',
    changes: [
      {
        file: 'shared/message/suppression/suppression.ts',
        replace: 'export function applies(',
        by: 'export function applies(..._: unknown[]) { return false; }\nexport function appliesReally(',
      },
    ],
  },
  'the refusal of a carrier undoes a START': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: 'if (change.isRefusal === true) return beginByRefusal(change);',
        by: '',
      },
    ],
  },
};
