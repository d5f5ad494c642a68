/** Faults where a call took effect and its response was lost, so that it is made again. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a failed attempt of an endpoint is counted again where the response was lost': {
    theme: 'administration',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: '        undefined,\n        conditionalUpdateOnce,\n',
        by: '        undefined,\n        conditionalUpdate ?? conditionalUpdateOnce,\n',
      },
    ],
  },
  'a refusal is counted again where the response was lost': {
    theme: 'administration',
    promise: '8.5',
    changes: [
      {
        file: 'shared/http/refusals.dynamo.ts',
        replace: "'attribute_not_exists(#write) OR #write <> :write'",
        by: "'attribute_not_exists(#write) OR #write <> :write OR #write = :write'",
      },
    ],
  },
};
