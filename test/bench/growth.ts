/**
 * `npm run bench:growth -- [--full]`: what status, list, expiry sweep, activity log and usage cost as the tables grow from
 * 10³ to 10⁵ rows (without --full to 10⁴), usage to ten times as many, on one DynamoDB Local.
 */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ScheduledEvent } from 'aws-lambda';
import { dynamoActivityReader } from '../../shared/activity/activity-reader.dynamo.ts';
import { summarizeUsage } from '../../shared/admin/usage.ts';
import { dynamoDueItemIndex } from '../../shared/due-items/due-item-index.dynamo.ts';
import { firstReview } from '../../shared/message/expire/expire-messages.ts';
import type { Message } from '../../shared/message/message.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { addSeconds, epochSeconds } from '../../shared/platform/clock.ts';
import { derivedIdAt } from '../../shared/platform/ids.ts';
import { chunksOf } from '../../shared/platform/split-into-chunks.ts';
import { allClients } from '../../shared/usage/count-changes.ts';
import { intervals, periodAt } from '../../shared/usage/period.ts';
import { usageOfAll, usageOfClient } from '../../shared/usage/read-usage.ts';
import { usageRange } from '../../shared/usage/usage-query.ts';
import { dynamoUsageReader } from '../../shared/usage/usage-reader.dynamo.ts';
import { countedDynamo } from './counted-dynamo.ts';
import { median, printMachine, printTable, ratio } from './figures.ts';
import { applyLoad } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';

const full = process.argv.includes('--full');
const sizes = full ? [1000, 10_000, 100_000] : [1000, 10_000];
const samples = 100;
/** What DynamoDB takes in one call. */
const batchWriteMax = 25;
const started = new Date();
const works = [status, list, listByReference, sweep, activity, usageByDay, usageToday, usageByClient];
/** For each stored message; a million with --full. */
const usageRowsEach = 10;
const usageClients = 100;

silenceLog();
printMachine(`npm run bench:growth${full ? ' -- --full' : ''}`);
const local = await startLocalFunctions();
const dueItemIndex = dynamoDueItemIndex(local.dynamo, local.tables.due_items);
const usage = dynamoUsageReader(local.dynamo, local.tables.message_usage);
const messages = dynamoMessageStore(local.dynamo, { tableName: local.tables.messages, retentionDays: 30 });
try {
  const rows: string[][] = [];
  let stored = 0;
  let first: readonly number[] = [];
  for (const size of sizes) {
    await store(stored, size);
    // The first round compiles code, here and in the engine: what it takes is not the figure.
    if (stored === 0) await costsOf(works);
    stored = size;
    const costs = await costsOf(works);
    if (first.length === 0) first = costs;
    rows.push([
      size.toLocaleString('en'),
      ...costs.map((ms, i) => `${ms.toFixed(1)} (${ratio(ms / (first[i] ?? ms))})`),
    ]);
  }
  console.log('\nMilliseconds, median; in brackets against the first row');
  printTable(
    [
      'rows',
      'status',
      'list',
      'list by reference',
      'expiry sweep',
      'activity log',
      'usage by day',
      'usage today',
      'usage by client',
    ],
    rows,
  );
  console.log(`\nUsage with ${(stored * usageRowsEach).toLocaleString('en')} rows: ${await callsOfUsage()}`);
} finally {
  await local.stop();
}

async function store(from: number, to: number): Promise<void> {
  const perBatch = 100;
  await applyLoad(Math.ceil((to - from) / perBatch), 8, async (batch) => {
    const numbers = Array.from({ length: perBatch }, (_, i) => from + batch * perBatch + i).filter(
      (n) => n < to,
    );
    const made = numbers.map(messageOf);
    await messages.createMany(made);
    await dueItemIndex.add('messages', made.map(firstReview));
    for (let first = 0; first < numbers.length; first += batchWriteMax) {
      const puts = numbers
        .slice(first, first + batchWriteMax)
        .map((n) => ({ PutRequest: { Item: activityOf(n) } }));
      await local.dynamo.send(new BatchWriteCommand({ RequestItems: { [local.tables.activity_log]: puts } }));
    }
    const usageRows = numbers.flatMap((n) =>
      Array.from({ length: usageRowsEach }, (_, i) => usageRowsOf(n * usageRowsEach + i)).flat(),
    );
    for (const some of chunksOf(usageRows, batchWriteMax)) {
      const puts = some.map((Item) => ({ PutRequest: { Item } }));
      await local.dynamo.send(
        new BatchWriteCommand({ RequestItems: { [local.tables.message_usage]: puts } }),
      );
    }
  });
}

/** Hour by hour, back from now, a row of each client; at the start of a day or month, and now, of that period too. */
function usageRowsOf(n: number): Record<string, unknown>[] {
  const at = addSeconds(started, -3600 * Math.floor(n / usageClients));
  const starts = intervals.filter(
    (interval) =>
      interval === 'hour' || n < usageClients || periodAt(interval, at).from.getTime() === startOfHour(at),
  );
  return starts.map((interval) => ({
    period: periodAt(interval, at).name,
    client_id: n % usageClients === 0 ? allClients : `client-${n % usageClients}`,
    purge_at: epochSeconds(addSeconds(at, 86_400 * 400)),
    's.t.GB.d.m': 12,
    's.t.GB.d.s': 14,
    's.t.GB.d.USD': 58_800,
    's.t.GB.f.m': 1,
    's.t.US.d.m': 5,
    's.t.US.d.s': 5,
    's.t.US.d.USD': 33_500,
    'error.carrier_rejected': 1,
  }));
}

function startOfHour(at: Date): number {
  return periodAt('hour', at).from.getTime();
}

/** Open messages, due only tomorrow: what a sweep must not have to read. */
function messageOf(n: number): Message {
  const at = addSeconds(started, -n).toISOString();
  return {
    message_id: idOf(n),
    client_id: local.clientId,
    channel: 'sms',
    status: 'queued',
    recipient: '+447700900123',
    type: 'transactional',
    reference: `order-${n % 500}`,
    text: 'Your parcel arrives today between 10 and 12.',
    encoding: 'GSM-7',
    segments: 1,
    created_at: at,
    queued_at: at,
    expires_at: addSeconds(started, 86_400).toISOString(),
  };
}

function idOf(n: number): string {
  return derivedIdAt('msg', addSeconds(started, -n), String(n));
}

function activityOf(n: number): Record<string, unknown> {
  const at = addSeconds(started, -Math.floor(n / 100));
  return {
    day: at.toISOString().slice(0, 10),
    entry_id: derivedIdAt('act', at, String(n)),
    kind: 'webhook_failed',
    at: at.toISOString(),
    summary: 'sms.delivered was not acknowledged after 6 attempts: timeout',
    client_id: local.clientId,
  };
}

async function status(): Promise<void> {
  const message_id = idOf(17);
  await get('get-message-status', `/api/v1/sms/status/${message_id}`, { pathParameters: { message_id } });
}

function list(): Promise<void> {
  return get('list-messages', '/api/v1/messages', { query: { limit: '20' } });
}

function listByReference(): Promise<void> {
  return get('list-messages', '/api/v1/messages', { query: { limit: '2', reference: 'order-7' } });
}

async function get(functionName: string, path: string, more: object): Promise<void> {
  const { statusCode, body } = await local.call(functionName, { path, ...more });
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${body}`);
}

async function sweep(): Promise<void> {
  await local.handler<ScheduledEvent, void>('expire-messages')({} as ScheduledEvent);
}

async function activity(): Promise<void> {
  const reader = dynamoActivityReader(local.dynamo, local.tables.activity_log);
  const { entries } = await reader.list({
    clientId: local.clientId,
    kind: 'webhook_failed',
    since: addSeconds(started, -86_400),
    until: addSeconds(started, 1),
    limit: 20,
  });
  if (entries.length !== 20) throw new Error(`${entries.length} entries`);
}

/** The smallest table has the last four days. */
async function usageByDay(reader = usage, days = 3): Promise<void> {
  const range = usageRange({ since: addSeconds(started, -days * 86_400) }, started);
  const entries = await usageOfClient(reader, 'client-1', range, 'USD');
  if (entries.length === 0) throw new Error('no usage');
}

async function usageToday(reader = usage): Promise<void> {
  const dependencies = { usage: reader, currency: 'USD', nameOf: async () => undefined };
  const { total } = await summarizeUsage(dependencies, 'day', started);
  if (total === null) throw new Error('no usage');
}

async function usageByClient(reader = usage): Promise<void> {
  const range = usageRange({ interval: 'month', group_by: ['client'] }, started);
  if ((await usageOfAll(reader, range, 'USD')).length !== usageClients - 1)
    throw new Error('clients missing');
}

/** Each in one call, and so in one page. */
async function callsOfUsage(): Promise<string> {
  const counted = countedDynamo(local.config);
  const reader = dynamoUsageReader(counted.documents, local.tables.message_usage);
  const calls: string[] = [];
  const usageOfMonth = (month: typeof reader) => usageByDay(month, 30);
  for (const work of [usageOfMonth, usageToday, usageByClient]) {
    const before = { ...counted.used };
    await work(reader);
    const { calls: made, units } = counted.used;
    calls.push(`${work.name} ${made - before.calls} call, ${units - before.units} read units`);
  }
  counted.client.destroy();
  return calls.join('; ');
}

/** In turns, so that what else the machine does meets all of them alike. */
async function costsOf(each: readonly (() => Promise<void>)[]): Promise<number[]> {
  const times: number[][] = each.map(() => []);
  for (let i = 0; i < samples; i += 1) {
    for (const [which, work] of each.entries()) times[which]?.push(await timed(work));
  }
  return times.map(median);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
