/** `limits …`: shows and edits rows of the limit-overrides table, and shows the limits that result for a client. */

import type { ResponseOf, RowOf } from '../../shared/admin/http/admin-operations.ts';
import { endpointOf, listOverrides } from '../../shared/admin/limits.ts';
import {
  type CapName,
  capNames,
  limitPolicies,
  type WindowAttribute,
} from '../../shared/contract/rate-limits-and-caps.ts';
import type { AdminCommand } from './command.ts';
import { addOperation, callOperation } from './operation-command.ts';
import { type Column, textTable } from './print.ts';
import { type ListOptions, listResult, withLimit } from './read-pages.ts';

const capMeanings: Readonly<Record<CapName, string>> = {
  messages: 'recipients of all sends',
  spend: 'estimated cost, in the currency of the stage',
};
/** True for the name of a cap. The policy `messages` has the same name as a cap, so it is given as its endpoint. */
const isCap = (name: string): boolean => Object.hasOwn(capMeanings, name);

const endpoints = `
Endpoints, by their short names or as they are written in the limit-overrides table:
${limitPolicies
  .filter((policy) => !isCap(policy))
  .map((policy) => `  ${policy.padEnd(14)} ${endpointOf(policy)}`)
  .join('\n')}
  ${''.padEnd(14)} ${endpointOf('messages')}
Caps:
${capNames.map((cap) => `  ${cap.padEnd(14)} ${capMeanings[cap]}`).join('\n')}

'*' as the client is every client that has no row of its own for the endpoint.

Examples:
  $ npm run admin -- limits set "Web shop" sms_send --per-minute 300 --per-hour null
  $ npm run admin -- limits set "Web shop" spend --per-day 250.50 --expires-at 2026-11-30T18:00:00Z
  $ npm run admin -- limits set '*' sms_bulk --blocked true --note "until the incident is over"
  $ npm run admin -- limits set "Web shop" sms_send --remove per_mintue`;

export function addLimitCommands(program: AdminCommand): void {
  const limits = program.command('limits').description('limits that differ from the defaults');
  addOperation(limits, 'set', 'setLimits', {
    description: 'sets limits of a client; in force within 60 seconds. null restores a default',
    words: ['endpoint'],
    text: (view) => limitTable([view]),
  }).addHelpText('after', endpoints);
  withLimit(limits.command('list [client]'))
    .alias('show')
    .description("lists all overrides with their feedback, or all limits of one client or of '*'")
    .run(async (session, client: string | undefined, options: ListOptions) => {
      if (client !== undefined) {
        const found = await callOperation(session, 'showLimits', { client_id: client }, {});
        return { json: found, text: () => limitTable(found.limits) };
      }
      return listResult('limits', (page) => listOverrides(session.ctx, page), options, limitTable);
    });
  addOperation(limits, 'explain', 'explainLimits', {
    description: 'shows the limits in force for a client, their source and their use',
    text: explanation,
  });
  addOperation(limits, 'remove', 'removeLimits', {
    description: 'removes a row; the row for every client, or the defaults, apply again',
    words: ['endpoint'],
    text: ({ limits: left }) => limitTable(left),
  }).addHelpText('after', endpoints);
}

function limitTable(limits: readonly RowOf<'showLimits', 'limits'>[]): string {
  const window = (field: WindowAttribute): Column<RowOf<'showLimits', 'limits'>> => [
    field.replace('_', ' '),
    ({ in_force, override }) =>
      override?.[field] === undefined ? in_force?.[field] : `${override[field]} *`,
  ];
  const table = textTable(
    limits,
    [
      'client_id',
      'endpoint',
      window('per_minute'),
      window('per_hour'),
      window('per_day'),
      window('per_month'),
      'status',
    ],
    'No client has limits of its own.',
  );
  const marked = limits.some(({ override }) => override !== null) ? ['* set in the row'] : [];
  const messages = limits.flatMap(({ client_id, endpoint, status_message }) =>
    status_message === null ? [] : [`${client_id}, ${endpoint}: ${status_message}`],
  );
  const warnings = limits.flatMap(({ client_id, policy, warnings }) =>
    warnings.map((warning) => `Warning, ${client_id}, ${policy}: ${warning}`),
  );
  return [table, ...marked, ...messages, ...warnings].join('\n\n');
}

const sources = { own_row: 'own row', every_client_row: "row of '*'", default: 'default' } as const;

function explanation({ endpoints: explained, currency }: ResponseOf<'explainLimits'>): string {
  const use = (name: string): Column<RowOf<'explainLimits', 'endpoints'>> => [
    name,
    ({ cap, windows }) => {
      const found = windows.find(({ window }) => window === name);
      if (found === undefined) return undefined;
      const unit = cap === 'spend' ? ` ${currency}` : '';
      return `${found.used} of ${found.limit.toLocaleString('en')}${unit}`;
    },
  ];
  const table = textTable(
    explained,
    [
      'endpoint',
      ['source', ({ source }) => sources[source]],
      use('minute'),
      use('hour'),
      use('day'),
      use('month'),
    ],
    'There are no endpoints.',
  );
  const sentences = explained.map(({ endpoint, summary, expires_at }) =>
    [`${endpoint}: ${summary}`, ...(expires_at === null ? [] : [`The row expires at ${expires_at}.`])].join(
      ' ',
    ),
  );
  return [table, sentences.join('\n')].join('\n\n');
}
