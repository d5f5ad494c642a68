/**
 * `npm run bench -- growth [--full]`: how long status, list, due rows and Activity Log take as the tables grow from 10³
 * to 10⁴ rows (10⁵ with `--full`), on one DynamoDB Local.
 */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ScheduledEvent } from 'aws-lambda';
import { readActivity } from '../../shared/activity/activity-log.dynamo.ts';
import type { Message } from '../../shared/message/message.ts';
import { createMessages } from '../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../shared/platform/clock.ts';
import { contextOf } from '../../shared/platform/context.ts';
import { derivedIdAt } from '../../shared/platform/ids.ts';
import { testContext } from '../support/engine/test-context.ts';
import type { TestTables } from '../support/engine/test-tables.ts';
import { median, printMachine, printTable, ratio } from './figures.ts';
import { applyLoad } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';

const full = process.argv.includes('--full');
const sizes = full ? [1000, 10_000, 100_000] : [1000, 10_000];
const samples = 100;
/** What DynamoDB takes in one call. */
const batchWriteMax = 25;
const started = new Date();
const works = [status, list, listByReference, dueRows, activity];

silenceLog();
printMachine(['npm run bench -- growth', ...process.argv.slice(2)].join(' '));
const local = await startLocalFunctions();
const context = {
  ...contextOf({ MESSAGES_TABLE: local.tables.messages ?? '', RETENTION_DAYS: 30 }),
  db: local.dynamo,
};
try {
  await reportGrowth();
} finally {
  await local.stop();
}

async function reportGrowth(): Promise<void> {
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
  console.log('Milliseconds, median; in brackets against the first row');
  printTable(['rows', 'status', 'list', 'list by reference', 'due rows', 'activity log'], rows);
}

async function store(from: number, to: number): Promise<void> {
  const perBatch = 100;
  await applyLoad(Math.ceil((to - from) / perBatch), 8, async (batch) => {
    const numbers = Array.from({ length: perBatch }, (_, i) => from + batch * perBatch + i).filter(
      (n) => n < to,
    );
    const made = numbers.map(messageOf);
    await createMessages(context, made);
    for (let first = 0; first < numbers.length; first += batchWriteMax) {
      const puts = numbers
        .slice(first, first + batchWriteMax)
        .map((n) => ({ PutRequest: { Item: activityOf(n) } }));
      await local.dynamo.send(new BatchWriteCommand({ RequestItems: { [local.tables.activity_log]: puts } }));
    }
  });
}

/** Messages that wait for their receipts until tomorrow: rows that the run of a minute must not read. */
function messageOf(n: number): Message {
  const at = addSeconds(started, -n).toISOString();
  return {
    message_id: idOf(n),
    client_id: local.clientId,
    channel: 'sms',
    status: 'scheduled',
    recipient: '+447700900123',
    type: 'transactional',
    reference: `order-${n % 500}`,
    text: 'Your parcel arrives today between 10 and 12.',
    encoding: 'GSM-7',
    segments: 1,
    created_at: at,
    scheduled_at: addSeconds(started, 86_400).toISOString(),
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

async function dueRows(): Promise<void> {
  await local.handler<ScheduledEvent, void>('queue-due-rows')({} as ScheduledEvent);
}

async function activity(): Promise<void> {
  const context = testContext({ dynamo: local.dynamo, names: local.tables as TestTables['names'] });
  const { entries } = await readActivity(context, {
    clientId: local.clientId,
    kind: 'webhook_failed',
    since: addSeconds(started, -86_400),
    until: addSeconds(started, 1),
    limit: 20,
  });
  if (entries.length !== 20) throw new Error(`${entries.length} entries`);
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
