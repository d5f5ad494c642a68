/** Faults of the windows of limits and caps, of shards, and of the rows that administrators edit. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const shards = 'shared/limit/shards.ts';
const allowance = 'shared/limit/take-from-caps.ts';

export const faults: DeliberateFaults = {
  'a change of a large limit carries every minute of the day': {
    theme: 'limits',
    promise: '4.8',
    changes: [
      {
        file: 'shared/limit/shards.ts',
        replace: 'if (!isPastMinute(attribute, windows)) carried[attribute]',
        by: 'if (isPastMinute !== undefined) carried[attribute]',
      },
    ],
  },
  'a refusal is remembered beyond its minute': {
    theme: 'limits',
    promise: '4.1',
    changes: [
      {
        file: 'shared/limit/limiter.ts',
        replace: 'Math.min(now.getTime() + refusalCacheSeconds * 1000, windows.resetsAt.minute * 1000)',
        by: 'now.getTime() + refusalCacheSeconds * 1000',
      },
    ],
  },
  'a refusal names the window that resets first': {
    theme: 'limits',
    promise: '4.4',
    changes: [
      {
        file: 'shared/limit/decision.ts',
        replace: '(state.resetsAt > last.resetsAt ? state : last)',
        by: '(state.resetsAt < last.resetsAt ? state : last)',
      },
    ],
  },
  'each shard of a limit is rounded up': {
    theme: 'limits',
    promise: '4.8',
    changes: [
      {
        file: shards,
        replace: 'Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0)',
        by: 'Math.ceil(limit / shards)',
      },
    ],
  },
  'what was counted before a limit changed twice is forgotten': {
    theme: 'limits',
    promise: '4.8',
    changes: [{ file: shards, replace: '[current.carried, ...[', by: '[...[' }],
  },
  'a closed row of a limit still counts': {
    theme: 'limits',
    promise: '4.8',
    changes: [
      {
        file: 'shared/limit/rate-counter.dynamo.ts',
        replace: '`attribute_not_exists(closed) AND ',
        by: '`',
      },
    ],
  },
  'a row with an end never ends': {
    theme: 'administration',
    promise: '10.1',
    changes: [
      {
        file: 'shared/limit/override-row.ts',
        replace: 'target !== undefined && (expiresAt === undefined || now < expiresAt)',
        by: 'target !== undefined && (expiresAt === undefined || now !== expiresAt)',
      },
    ],
  },
  'the row for every client wins over the own row of a client': {
    theme: 'administration',
    promise: '10.1',
    changes: [
      {
        file: 'shared/limit/read-overrides.ts',
        replace: 'return [own?.get(endpoint), forAll?.get(endpoint)];',
        by: 'return [forAll?.get(endpoint), own?.get(endpoint)];',
      },
    ],
  },
  'the removal of a row is not entered in the activity log': {
    theme: 'administration',
    promise: '10.6',
    changes: [
      {
        file: 'shared/edited-table/record-row-changes.ts',
        replace: 'changes.filter(({ edited }) => edited)',
        by: 'changes.filter(({ edited, after }) => edited && after !== undefined)',
      },
    ],
  },
  'a bulk larger than the cap is accepted in a new window': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: 'shared/limit/cap-counter.dynamo.ts',
        replace: 'const condition = room < 0 ? fits :',
        by: 'const condition = room === -0.5 ? fits :',
      },
    ],
  },
  'a refusal by a cap says one recipient too few': {
    theme: 'caps',
    promise: '10.3',
    changes: [{ file: allowance, replace: 'if (left < 0) break;', by: 'if (left <= 0) break;' }],
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
};
