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
  'START ends a suppression that cannot be read': {
    theme: 'rows',
    editedTable: 'Suppressions',
    promise: '13.3',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: 'if (row !== undefined && !isReadable(row))',
        by: 'if (row !== undefined && row.cause === change.cause)',
      },
    ],
  },
  'a suppression that cannot be read counts as one by an administrator on the list of the carrier': {
    theme: 'opt-outs',
    promise: '13.4',
    changes: [
      {
        file: 'shared/message/suppression/compare-opt-outs.ts',
        replace: ' || !isReadable(suppression)',
        by: '',
      },
    ],
  },
  'an endpoint cannot be deleted without the row of their number': {
    theme: 'administration',
    promise: '12.2',
    changes: [
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: 'if (failed.includes(0)) return false;',
        by: 'if (failed.includes(0) || failed.includes(1)) return false;',
      },
    ],
  },
  'a text in a row of usage stops the counting of all clients': {
    theme: 'administration',
    promise: '11.1',
    changes: [
      {
        file: 'shared/usage/count-journal.dynamo.ts',
        replace: "if (typeof present !== 'number') refused.set(name, amount);",
        by: "if (typeof present !== 'number') throw new Error(name);",
      },
    ],
  },
  'usage with a note in its row cannot be read': {
    theme: 'rows',
    editedTable: 'MessageUsage',
    promise: '11.1',
    changes: [
      {
        file: 'shared/usage/usage-reader.dynamo.ts',
        replace: 'new Map(numbersIn(amounts))',
        by: 'new Map(z.array(z.tuple([z.string(), z.number()])).parse(Object.entries(amounts)))',
      },
    ],
  },
  'who wrote last is read a moment late': {
    theme: 'opt-outs',
    promise: '13.1',
    changes: [
      {
        file: 'shared/message/store/contacts.dynamo.ts',
        replace: 'Key: key, ConsistentRead: true',
        by: 'Key: key',
      },
    ],
  },
  'a name has a pace for each of its spellings': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/sender-pace-store.dynamo.ts',
        replace: 'return identity.toLowerCase();',
        by: 'return identity;',
      },
    ],
  },
};
