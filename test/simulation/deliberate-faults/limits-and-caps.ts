/** Faults of rate limits and caps. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a limit admits one more': {
    theme: 'limits',
    promise: '4.2',
    changes: [
      {
        file: 'shared/limit/counters.dynamo.ts',
        replace: 'const room = limit - (amounts[name] ?? 0);',
        by: 'const room = limit;',
      },
    ],
  },
  'a refusal is remembered beyond its minute': {
    theme: 'limits',
    promise: '4.1',
    changes: [
      {
        file: 'shared/limit/limiter.ts',
        replace: 'Math.min(now.getTime() + refusalCacheSeconds * 1000, resetsAt.minute * 1000)',
        by: 'now.getTime() + refusalCacheSeconds * 1000',
      },
    ],
  },
  'a refusal by a spend cap is not reported to administrators': {
    theme: 'caps',
    promise: '10.4',
    changes: [
      {
        file: 'shared/limit/cap-notices.ts',
        replace: 'const refused = percentage === 100 && state.full.includes(limit);',
        by: 'const refused = percentage === 100 && state.full.length > state.limits.length;',
      },
    ],
  },
  'a change by the API undoes what is edited by hand meanwhile': {
    theme: 'administration',
    promise: '10.6',
    changes: [
      {
        file: 'shared/edited-table/row-editor.dynamo.ts',
        replace: '.filter(([name, value]) => value !== row?.[name])',
        by: '',
      },
      {
        file: 'shared/edited-table/row-editor.dynamo.ts',
        replace: 'const unchanged = unchangedRow(image, table.attributes);',
        by: `const unchanged = {
          ...unchangedRow(undefined, table.attributes),
          ConditionExpression: 'attribute_exists(client_id) OR attribute_not_exists(client_id)',
        };`,
      },
    ],
  },
  'a test message counts towards the caps of live ones': {
    theme: 'caps',
    promise: '17.3',
    changes: [
      {
        file: 'shared/limit/client-caps.ts',
        replace: 'return `caps:${clientId}|${month}`;',
        by: "return `caps:${clientId.replace(/-test$/, '')}|${month}`;",
      },
    ],
  },
};
