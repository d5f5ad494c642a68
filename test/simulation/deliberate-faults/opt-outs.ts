/** Faults of opt-outs and suppressions. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const comparison = 'shared/message/suppression/compare-opt-outs.ts';

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
  'the list of the carrier takes the place of an administrator’s stop': {
    theme: 'opt-outs',
    promise: '13.4',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: "if (isRefresh && source === 'carrier' && scope !== undefined) kept.push('source');",
        by: '',
      },
    ],
  },
  'the end that a client asks for takes the place of a START': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: 'if (change.scope === undefined && isEnded && isLasting(row) && !isLasting(change))',
        by: 'if (change.scope === null && isEnded && isLasting(row) && !isLasting(change))',
      },
    ],
  },
  'a START that is learned hours late does not reach the list of the carrier': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/opt-out-comparison.dynamo.ts',
        replace: '(changed_at >= :since OR stored_at >= :since)',
        by: 'changed_at >= :since',
      },
    ],
  },
  'a START counts as older than what the client ended before the gateway learned of it': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: "'word_at < :at'",
        by: "'word_at < changed_at AND word_at > changed_at'",
      },
    ],
  },
  'a removal that AWS refuses is not asked for again': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      { file: comparison, replace: 'if (!isRemoved) await suppressions.compareAgain(ended);', by: '' },
    ],
  },
  'a number that another stop keeps on the list is not looked at again': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [{ file: comparison, replace: 'return suppressions.compareAgain(ended);', by: 'return;' }],
  },
  'a contact that cannot be read ends the comparison': {
    theme: 'opt-outs',
    promise: '1.8',
    changes: [
      {
        file: 'shared/message/store/contacts.dynamo.ts',
        replace: "return row && readableRows(contactRow, [row], 'writer')[0];",
        by: 'return row && contactRow.parse(row);',
      },
    ],
  },
};
