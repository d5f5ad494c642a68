/** `limits …`: shows and edits rows of the limit-overrides table, and shows the limits that result for a client. */
import {
  type ExplainedEndpoint,
  type ExplainedLimits,
  explainLimits,
} from '../../shared/admin/explain-limits.ts';
import { clientIdOf, clientIdOrAll, rowOwnerOf } from '../../shared/admin/find-client.ts';
import {
  type EndpointLimits,
  endpointOf,
  type LimitsView,
  limitsBody,
  limitsOf,
  listOverrides,
  removeLimits,
  setLimits,
} from '../../shared/admin/limits.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { type CapName, capNames, limitPolicies } from '../../shared/contract/rate-limits-and-caps.ts';
import { limitFault, plainLimit } from '../../shared/limit/entered-limits.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand } from './command.ts';
import { booleanOption, repeatedOption } from './options.ts';
import { type ListOptions, listResult, withLimit } from './pages.ts';
import { type Column, textTable } from './print.ts';

const capMeanings: Readonly<Record<CapName, string>> = {
  messages: 'recipients of all sends',
  spend: 'estimated cost, in the currency of the stage',
};
/** The policy `messages` has the name of a cap, so it is written as its endpoint. */
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
  $ npm run admin -- limits set "Web shop" sms_send --per-minute 300 --per-hour default
  $ npm run admin -- limits set "Web shop" spend --per-day 250.50 --expires-at 2026-11-30T18:00:00Z
  $ npm run admin -- limits set '*' sms_bulk --blocked --note "until the incident is over"
  $ npm run admin -- limits set "Web shop" sms_send --remove per_mintue`;

interface SetOptions {
  readonly perMinute?: string;
  readonly perHour?: string;
  readonly perDay?: string;
  readonly perMonth?: string;
  readonly expiresAt?: string;
  readonly blocked?: boolean;
  readonly note?: string;
  readonly remove?: readonly string[];
}

export function addLimitCommands(program: AdminCommand): void {
  const limits = program.command('limits').description('limits that differ from the defaults');
  limits
    .command('set')
    .description('sets limits of a client; in force within 60 seconds')
    .argument('<client>', "id or name, or '*'")
    .argument('<endpoint>')
    .option('--per-minute <number>', 'or "default"')
    .option('--per-hour <number>', 'or "default"')
    .option('--per-day <number>', 'or "default"')
    .option('--per-month <number>', 'for a cap, or "default"')
    .option('--expires-at <time>', 'ISO 8601 or seconds since 1970, or "never"')
    .option('--blocked [true|false]', 'refuse the client at this endpoint', booleanOption)
    .option('--note <text>', 'a text for people; an empty one removes it')
    .option(
      '--remove <attribute>',
      'remove a misspelled attribute from the row; can be repeated',
      repeatedOption,
    )
    .addHelpText('after', endpoints)
    .run(async ({ dependencies, actor }, named: string, endpoint: string, options: SetOptions) => {
      if (Object.values(options).every((option) => option === undefined)) {
        throw new GatewayError(
          'invalid_request',
          'Give --per-minute, --per-hour, --per-day, --per-month, --expires-at, --blocked, --note or --remove.',
        );
      }
      const { expiresAt, blocked, note, remove } = options;
      const change = parseFields(limitsBody, {
        endpoint,
        per_minute: limitOf(endpoint, 'per-minute', options.perMinute),
        per_hour: limitOf(endpoint, 'per-hour', options.perHour),
        per_day: limitOf(endpoint, 'per-day', options.perDay),
        per_month: limitOf(endpoint, 'per-month', options.perMonth),
        expires_at: expiresAt === 'never' ? null : expiresAt,
        blocked: blocked === false ? null : blocked,
        note: note === '' ? null : note,
        remove,
      });
      const clientId = await clientIdOrAll(dependencies, named);
      const view = await setLimits(dependencies, actor, clientId, change);
      return { json: view, text: () => limitTable([view]) };
    });
  withLimit(limits.command('list'))
    .alias('show')
    .description('lists all overrides with their feedback, or all limits of one client')
    .argument('[client]', "id or name, or '*'")
    .run(async ({ dependencies }, named: string | undefined, options: ListOptions) => {
      if (named !== undefined) {
        const clientId = await rowOwnerOf(dependencies, dependencies.overrides, named);
        const found = await limitsOf(dependencies, clientId);
        return { json: { limits: found }, text: () => limitTable(found) };
      }
      return listResult('limits', (page) => listOverrides(dependencies, page), options, limitTable);
    });
  limits
    .command('explain')
    .description('shows the limits in force for a client, their source, and what is used of them')
    .argument('<client>', 'id or name')
    .run(async ({ dependencies }, named: string) => {
      const clientId = await clientIdOf(dependencies, named);
      const explained = await explainLimits(dependencies, clientId);
      return { json: explained, text: () => explanation(explained) };
    });
  limits
    .command('remove')
    .description('removes a row; the row for every client, or the defaults, apply again')
    .argument('<client>', "id or name, or '*'")
    .argument('<endpoint>')
    .addHelpText('after', endpoints)
    .run(async ({ dependencies, actor }, named: string, given: string) => {
      const clientId = await rowOwnerOf(dependencies, dependencies.overrides, named);
      const policy = limitPolicies.find((name) => name === given && !isCap(name));
      const endpoint = policy === undefined ? given : endpointOf(policy);
      await removeLimits(dependencies, actor, clientId, endpoint);
      const json = { client_id: clientId, endpoint, removed: true };
      return { json, text: () => `${clientId} has the default limits of ${endpoint} again.` };
    });
}

function limitTable(limits: readonly EndpointLimits[]): string {
  const window = (field: keyof LimitsView): Column<EndpointLimits> => [
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

function explanation({ endpoints: explained, currency }: ExplainedLimits): string {
  const use = (name: string): Column<ExplainedEndpoint> => [
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

/** Null removes the value. */
function limitOf(endpoint: string, option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  const kind = { cap: capNames.find((cap) => cap === endpoint) ?? null };
  const fault = text.trim() === '' ? 'Enter a number, or "default".' : limitFault(kind, text);
  if (fault !== undefined) throw new GatewayError('invalid_request', `--${option} ${text}: ${fault}`);
  return Number(plainLimit(kind, text));
}
