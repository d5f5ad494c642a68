/**
 * What each question about usage reads of a table as large as a hundred busy clients make it in 400 days, and what the
 * counting of a message writes, by the number of clients that share a batch.
 */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { timesAt, usagePeriods } from '../../dashboard/pages/usage/usage-period.ts';
import { usageGroups } from '../../dashboard/pages/usage/usage-series.ts';
import { overviewSpans, summarizeUsage } from '../../shared/admin/usage.ts';
import { addDays, addSeconds, epochSeconds } from '../../shared/platform/clock.ts';
import {
  allClients,
  type ChangeRecord,
  countChanges,
  type UsageCounter,
} from '../../shared/usage/count-changes.ts';
import { idDigits } from '../../shared/usage/count-once.ts';
import {
  type Interval,
  intervals,
  type Period,
  periodAt,
  periodsBetween,
} from '../../shared/usage/period.ts';
import { usageOfAll, usageOfClient } from '../../shared/usage/read-usage.ts';
import { dynamoUsageReader, type UsageReader } from '../../shared/usage/usage-counter.dynamo.ts';
import { countedDynamo } from '../support/engine/counted-dynamo.ts';
import { printTable } from './figures.ts';
import { applyLoad } from './load.ts';
import type { LocalFunctions } from './local-functions.ts';

const clients = 100;
/** What DynamoDB takes in one call. */
const batchWriteMax = 25;
const pageBytes = 2 ** 20;
const bytesPerUnit = 2 * 4096;

type Local = Pick<LocalFunctions, 'dynamo' | 'config' | 'tables'>;

/** @throws Error if a question needs more than one page of a query */
export async function reportUsage(local: Local, now: Date, rows: number): Promise<void> {
  await store(local, now, rows);
  const counted = countedDynamo(local.config);
  const reader = dynamoUsageReader(counted.documents, local.tables.message_usage);
  const lines: string[][] = [];
  for (const [name, ask] of questions(reader, now)) {
    const before = { ...counted.used };
    await ask();
    const { calls, units, incomplete } = counted.used;
    if (incomplete > before.incomplete) throw new Error(`${name} needs more than one page`);
    lines.push([name, String(calls - before.calls), String(units - before.units)]);
  }
  console.log(
    `\nUsage in a table of ${rows.toLocaleString('en')} rows, of ${clients} clients; each call is one page`,
  );
  printTable(['question', 'calls', 'read units'], lines);

  const before = counted.used.units;
  await reader.rowsIn(periodAt('day', now).name);
  const bytes = ((counted.used.units - before) * bytesPerUnit) / clients;
  console.log(
    `\nA row has about ${Math.round(bytes)} bytes, so a page has room for ${Math.floor(pageBytes / bytes).toLocaleString('en')} clients`,
  );
  counted.client.destroy();
  await reportCounting(now);
}

/** What the pages Overview and Usage ask, and the client. */
function* questions(usage: UsageReader, now: Date): Generator<readonly [string, () => Promise<unknown>]> {
  const dependencies = { usage, currency: 'USD', nameOf: async () => undefined };
  for (const [span, hours] of Object.entries(overviewSpans)) {
    const interval = span === 'day' ? 'hour' : 'day';
    const periods = periodsOf(interval, addSeconds(now, -3600 * (hours - 1)), now);
    yield [
      `overview, ${span}`,
      () =>
        usage.rowsOf(
          allClients,
          periods.map(({ name }) => name),
        ),
    ];
  }
  for (const { id, text } of usagePeriods) {
    const { since, until, interval, step } = timesAt(id, now);
    yield [
      `${text}: totals, top senders, error codes`,
      () => summarizeUsage(dependencies, { interval, at: since }),
    ];
    const periods = periodsOf(step, since, until);
    for (const { value } of usageGroups)
      yield [
        `${text}: by ${step} and ${value}`,
        () => usageOfAll(usage, { interval: step, periods, groupBy: [value] }, 'USD'),
      ];
  }
  const year = { interval: 'day', periods: periodsOf('day', addDays(now, -399), now), groupBy: [] } as const;
  yield ['a client: 400 days by day', () => usageOfClient(usage, 'client-1', year, 'USD')];
}

function periodsOf(interval: Interval, since: Date, until: Date): readonly Period[] {
  return periodsBetween(interval, since, until, 1000) ?? [];
}

async function store({ dynamo, tables }: Local, now: Date, rows: number): Promise<void> {
  const stored = rowsUntil(now);
  await applyLoad(Math.ceil(rows / batchWriteMax), 16, async () => {
    const puts = Array.from({ length: batchWriteMax }, () => ({
      PutRequest: { Item: stored.next().value },
    }));
    const { UnprocessedItems = {} } = await dynamo.send(
      new BatchWriteCommand({ RequestItems: { [tables.message_usage]: puts } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('rows are left');
  });
}

/** Hour by hour, back from now, a row of each client; and one of each day and month that is met. */
function* rowsUntil(now: Date): Generator<Record<string, unknown>, never> {
  const seen = new Set<string>();
  for (let hours = 0; ; hours += 1) {
    const periods = intervals.map((interval) => periodAt(interval, addSeconds(now, -3600 * hours)));
    for (const period of periods) {
      if (seen.has(period.name)) continue;
      seen.add(period.name);
      for (let client = 0; client < clients; client += 1) yield rowOf(period, client);
    }
  }
}

function rowOf(period: Period, client: number): Record<string, unknown> {
  return {
    period: period.name,
    client_id: client === 0 ? allClients : `client-${client}`,
    purge_at: epochSeconds(addDays(period.to, 400)),
    's.t.GB.d.m': 12,
    's.t.GB.d.s': 14,
    's.t.GB.d.USD': 58_800,
    's.t.GB.f.m': 1,
    's.t.US.d.m': 5,
    's.t.US.d.s': 5,
    's.t.US.d.USD': 33_500,
    'error.carrier_rejected': 1,
  };
}

const messagesInBatch = 250;

/**
 * Batches of a thousand records, of which three count for each message. A transaction takes two write units for each KB of
 * a row, and no row here has more; `test/engine/usage` holds the units of a batch on the engine.
 */
async function reportCounting(now: Date): Promise<void> {
  const lines: string[][] = [];
  for (const sharing of [1, 5, 25, 125, 250]) {
    let units = 0;
    const counter: UsageCounter = {
      counted: async () => ({ ids: new Set<string>(), parts: 0 }),
      async count(_minute, _part, ids, additions) {
        units += 2 * (Math.ceil((ids.length * (idDigits / 2)) / 1024) + additions.length);
        return true;
      },
    };
    const changes = Array.from({ length: messagesInBatch }, (_, message) =>
      changesOf(`client-${message % sharing}`, now, String(message)),
    );
    await countChanges({ counter, sleep: async () => undefined, random: () => 0 }, changes.flat());
    lines.push([String(sharing), (units / messagesInBatch).toFixed(2)]);
  }
  console.log(`\nWrite units for a message, in batches of ${messagesInBatch} messages`);
  printTable(['clients in the batch', 'write units'], lines);
}

function changesOf(client_id: string, at: Date, id: string): ChangeRecord[] {
  const queued = {
    client_id,
    channel: 'sms',
    type: 'transactional',
    status: 'queued',
    country: 'GB',
    segments: 1,
    created_at: at.toISOString(),
  } as const;
  const sent = { ...queued, status: 'sent', cost: 0.0042, currency: 'USD' } as const;
  const delivered = { ...sent, status: 'delivered', cost_reported: true } as const;
  return [undefined, queued, sent].map((before, index) => ({
    eventId: `${id} ${index}`,
    changedAt: at,
    before,
    after: [queued, sent, delivered][index],
  }));
}
