/** `usage`: shows what clients sent in a time, and how it changed, as tables, as JSON, and as CSV for a spreadsheet. */
import { InvalidArgumentError } from 'commander';
import { groupColumns, sumColumns, usageCsv } from '../../shared/admin/csv-columns.ts';
import { listUsage, type UsageList } from '../../shared/admin/usage.ts';
import { compareUsage, type UsageChange, type UsageComparison } from '../../shared/admin/usage-change.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import { csvTable } from '../../shared/platform/csv.ts';
import { periodAt } from '../../shared/usage/period.ts';
import { adminUsageQuery, usageRange } from '../../shared/usage/usage-query.ts';
import type { AdminCommand } from './command.ts';
import { timeForms, timeOf } from './options.ts';
import { textTable } from './print.ts';

interface UsageOptions {
  readonly client?: string;
  readonly month?: Date;
  readonly since?: string;
  readonly until?: string;
  readonly interval: string;
  readonly groupBy?: string;
  readonly compare: boolean;
  readonly csv: boolean;
}

export function addUsageCommand(program: AdminCommand): void {
  program
    .command('usage')
    .description('shows what clients sent in a month or another time: messages, segments, states and cost')
    .option('--client <client>', 'only of this client (id or name)')
    .option('--month <month>', 'a UTC month, such as 2026-11; the current one by default', monthOf)
    .option('--since <time>', `instead of a month: from this time on, ${timeForms}`)
    .option('--until <time>', 'with --since: until this time, exclusive; now by default')
    .option('--interval <interval>', 'a line for each hour, day or month', 'month')
    .option(
      '--group-by <names>',
      'some of client, channel, type, country, status; by client unless --client is given',
    )
    .option(
      '--compare',
      'a line for each group: the change against the time before, and what is abnormal about it',
      false,
    )
    .option('--csv', 'print CSV (RFC 4180)', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- usage --month 2026-11\n  $ npm run --silent admin -- usage --interval day --group-by client,channel --csv > usage.csv\n  $ npm run admin -- usage --since 2026-11-10 --until 2026-11-17 --compare',
    )
    .run(async ({ dependencies }, options: UsageOptions) => {
      if (options.csv && program.opts<{ json: boolean }>().json)
        throw new GatewayError('invalid_request', 'Give --json or --csv, not both.');
      const now = dependencies.clock();
      const { since, until } = timesOf(options, now);
      const query = parseFields(adminUsageQuery, {
        since: since.toISOString(),
        until: until.toISOString(),
        interval: options.interval,
        group_by: options.groupBy ?? (options.client === undefined ? 'client' : undefined),
      });
      if (options.compare) {
        const compared = await compareUsage(dependencies, options.client, {
          since,
          until,
          groupBy: query.group_by ?? [],
        });
        return {
          json: compared,
          text: () => (options.csv ? changesCsv(compared) : changesTable(compared)),
        };
      }
      const usage = await listUsage(dependencies, options.client, usageRange(query, now));
      return { json: usage, text: () => (options.csv ? usageCsv(usage) : usageTable(usage)) };
    });
}

function timesOf({ month, since, until }: UsageOptions, now: Date) {
  if (since === undefined) {
    if (until !== undefined) throw new GatewayError('invalid_request', '--until needs --since.');
    const { from, to } = periodAt('month', month ?? now);
    return { since: from, until: to };
  }
  if (month !== undefined) throw new GatewayError('invalid_request', 'Give --month or --since, not both.');
  return {
    since: timeOf('since', since, now),
    until: until === undefined ? now : timeOf('until', until, now),
  };
}

function monthOf(text: string): Date {
  const start = new Date(`${text}-01T00:00:00.000Z`);
  if (!/^\d{4}-\d{2}$/.test(text) || Number.isNaN(start.getTime()) || start.getTime() < 0)
    throw new InvalidArgumentError('It must be a month such as 2026-11.');
  return start;
}

function usageTable({ usage, currency }: UsageList): string {
  return textTable(
    usage,
    [
      'from',
      ...groupColumns.filter((name) => usage.some((entry) => name in entry)),
      ...sumColumns.filter((name) => name !== 'cost'),
      [`cost ${currency}`, (entry) => `${entry.estimated ? '~' : ''}${entry.cost}${otherCosts(entry)}`],
    ],
    'No messages in this time.',
  );
}

function otherCosts({ other_costs = {} }: UsageList['usage'][number]): string {
  return Object.entries(other_costs)
    .map(([currency, cost]) => ` + ${cost} ${currency}`)
    .join('');
}

/** The change of usage against the time before, as a table and as CSV. */
function changesTable(compared: UsageComparison): string {
  const { from, to, before_from, before_to, currency, changes, left_out } = compared;
  const table = textTable(
    changes,
    [
      ...groupColumns.filter((name) => changes.some((change) => name in change)),
      ['messages', ({ now }) => now.messages],
      ['before', ({ before }) => before.messages],
      ['change', changeText],
      ['failed', ({ now }) => percentText(now.failed, now.messages)],
      ['before', ({ before }) => percentText(before.failed, before.messages)],
      [`cost ${currency}`, ({ now }) => now.cost],
      ['before', ({ before }) => before.cost],
      ['abnormal', ({ abnormal }) => abnormal.join(', ') || null],
    ],
    'No messages in either period.',
  );
  return `${timesText(from, to)}, compared with ${timesText(before_from, before_to)}${left_out === null ? '' : `\n${left_out}`}\n\n${table}`;
}

function changesCsv({ from, to, before_from, before_to, currency, changes }: UsageComparison): string {
  const sums = ['messages', 'delivered', 'failed', 'cost'] as const;
  return csvTable(
    [
      'from',
      'to',
      'before_from',
      'before_to',
      ...groupColumns,
      ...sums,
      ...sums.map((name) => `${name}_before`),
      'currency',
      'factor',
      'abnormal',
    ],
    changes.map((change) => [
      from,
      to,
      before_from,
      before_to,
      ...groupColumns.map((name) => change[name]),
      ...sums.map((name) => change.now[name]),
      ...sums.map((name) => change.before[name]),
      currency,
      change.factor,
      change.abnormal.join(', '),
    ]),
  );
}

function timesText(from: string, to: string): string {
  return `${minuteText(from)} to ${minuteText(to)} UTC`;
}

const minuteText = (time: string): string => time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');

/** `+50 %`, or `×3.2` where that says more. */
function changeText({ factor, now }: UsageChange): string {
  if (factor === null) return now.messages === 0 ? '-' : 'new';
  if (factor >= 2) return `×${factor.toFixed(1)}`;
  const percent = Math.round((factor - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

function percentText(part: number, whole: number): string | null {
  return whole === 0 ? null : `${Math.round((part / whole) * 100)} %`;
}
