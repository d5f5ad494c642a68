/**
 * What AWS takes for a million messages, carriers apart: `npm run cost` sends messages through the deployed gateway,
 * one by one and then many at once, counts every call that its functions make, and multiplies by the prices of
 * `prices.json`. With `--caps` every client has the caps of `production`.
 */

import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDemoClients, dynamoClientAdmin } from '../../bin/demo-clients.ts';
import { resourcesOf } from '../../lib/constructs/stack-outputs.ts';
import { deploy } from '../../lib/local/deploy.ts';
import { emulatorAccess, startEmulator } from '../../lib/local/emulator.ts';
import { startFront } from '../../lib/local/front.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { stages } from '../../lib/stages/stages.ts';
import { readMessage } from '../../shared/message/store/messages.dynamo.ts';
import { documentClient } from '../../shared/platform/aws/clients.ts';
import { type Context, contextOf } from '../../shared/platform/context.ts';
import { startWebhookEndpoint } from '../deploy/traffic.ts';
import { putLimits } from '../support/rate-limit/put-limits.ts';
import { type Counted, startCountingProxy } from './counting-proxy.ts';

const prices = JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8'));
/** One by one, nothing shares a call; under load queues and stream hand over several at a time, as on AWS. */
const loads = {
  alone: { messages: 20, inFlight: 1, batch: 1, usageBatch: 24 },
  together: { messages: 400, inFlight: 16, batch: 10, usageBatch: 250 },
} as const;
/**
 * The emulator has no batching window, so what a batch of `count-usage` takes is computed from the design: the messages of a
 * minute, or a thousand records, four for each message. No other function of this run writes transactions.
 */
const usageTables = /^(message-usage|count-journal) |^TransactWriteItems that failed$/;
type Load = (typeof loads)[keyof typeof loads];
const million = 1_000_000;
/** After the last state of a message its webhooks and the rest of each function's work are a matter of moments. */
const quietMs = 400;
/** For `sent` and for `delivered`. */
const webhooksOfMessage = 2;
const localFolder = join(import.meta.dirname, '..', '..', '.local');
const logFolder = join(localFolder, 'cost');
const signal = new AbortController().signal;

await mkdir(logFolder, { recursive: true });
const proxy = await startCountingProxy();
const emulator = await startEmulator({
  python: await pythonWithPackages(localFolder, console.log, signal),
  logFile: join(logFolder, 'emulator.log'),
  searchPath: process.env.PATH ?? '',
  functionsEndpoint: proxy.endpoint,
  signal,
});
proxy.open(emulator.endpoint);
const front = await startFront(0);
const webhookEndpoint = await startWebhookEndpoint();
try {
  const outputs = await deploy({
    settings: process.argv.includes('--caps') ? { caps: stages.production.caps } : {},
    endpoint: emulator.endpoint,
    logFile: join(logFolder, 'deploy.log'),
    environment: process.env,
  });
  front.open({ endpoint: emulator.endpoint, apiId: outputs.ApiId ?? '' });
  const { region, ...credentials } = emulatorAccess;
  const config = { endpoint: emulator.endpoint, region, credentials };
  const dynamo = documentClient(new DynamoDBClient(config));
  const clients = await createDemoClients(dynamoClientAdmin(dynamo, resourcesOf(outputs).tables), new Date());
  const logs = new CloudWatchLogsClient(config);
  const base = `http://127.0.0.1:${front.port}`;
  const { tables } = resourcesOf(outputs);
  const gateway = {
    base,
    apiKey: clients.api_key,
    ctx: { ...contextOf({ MESSAGES_TABLE: tables.messages ?? '' }), db: dynamo },
  };

  const overrides = tables.limit_overrides ?? '';
  const plenty = { perMinute: 100_000, perHour: 100_000, perDay: 100_000 };
  await putLimits(dynamo, overrides, clients.client_id, 'sms_send', plenty);

  const counts: Count[] = [];
  for (const load of Object.values(loads)) {
    // The functions' first calls read what later ones remember.
    await run(gateway, load, load.inFlight * 3);
    const plain = await measured(logs, () => run(gateway, load, load.messages));
    const told = await measured(logs, () => run(gateway, load, load.messages, webhookEndpoint.url));
    counts.push({ load, plain, told });
  }
  report(counts);
} finally {
  webhookEndpoint.close();
  await front.close();
  await emulator.stop();
  proxy.close();
}
process.exit();

interface Measured extends Counted {
  readonly logBytes: number;
}

interface Count {
  readonly load: Load;
  readonly plain: Measured;
  /** With a webhook for each of the two events of a message, `sent` and `delivered`. */
  readonly told: Measured;
}

interface Gateway {
  readonly base: string;
  readonly apiKey: string;
  readonly ctx: Context<'MESSAGES_TABLE'>;
}

/** Sends messages and waits until nothing more happens. */
async function run(gateway: Gateway, { inFlight }: Load, count: number, webhookUrl?: string): Promise<void> {
  const started = performance.now();
  const sent: string[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        const messageId = await send(gateway, webhookUrl);
        sent.push(messageId);
        // Alone: the next one starts when nothing of this one is under way.
        if (inFlight === 1) await finished(gateway, messageId, webhookUrl);
      }
    }),
  );
  for (const messageId of sent) await finished(gateway, messageId, webhookUrl);
  await proxy.quiet(quietMs);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.error(`${count} messages${webhookUrl === undefined ? '' : ' with webhooks'} in ${seconds} s`);
}

async function finished({ ctx }: Gateway, messageId: string, webhookUrl?: string): Promise<void> {
  while ((await readMessage(ctx, messageId))?.status !== 'delivered') await pause(50);
  const posted = () => webhookEndpoint.events.get(messageId) ?? [];
  while (webhookUrl !== undefined && posted().length < webhooksOfMessage) await pause(50);
  await proxy.quiet(quietMs);
}

/** Stores a message and returns its id. */
async function send({ base, apiKey }: Gateway, webhookUrl: string | undefined): Promise<string> {
  for (;;) {
    const answer = await fetch(`${base}/api/v1/sms/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        to: '+447700900123',
        message: 'Your order is on its way.',
        webhook_url: webhookUrl,
      }),
    });
    const text = await answer.text();
    if (answer.status === 202) return (JSON.parse(text) as { message_id: string }).message_id;
    // A busy machine answers 503.
    if (answer.status !== 429 && answer.status !== 503) throw new Error(`${answer.status} ${text}`);
    await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

async function measured(logs: CloudWatchLogsClient, work: () => Promise<void>): Promise<Measured> {
  proxy.take();
  const from = Date.now();
  await work();
  const counted = proxy.take();
  let logBytes = 0;
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client: logs }, {})) {
    for (const { logGroupName } of logGroups) {
      // CloudWatch adds 26 bytes to each event.
      for await (const { events = [] } of paginateFilterLogEvents(
        { client: logs },
        { logGroupName, startTime: from },
      ))
        for (const { message = '' } of events)
          if (message.startsWith('{')) logBytes += Buffer.byteLength(message) + 26;
    }
  }
  return { ...counted, logBytes };
}

type Costs = Readonly<Record<string, number>>;

/** What one message takes, by where the money goes. */
function costs(counted: Measured, { messages, batch, usageBatch }: Load, webhooks: number): Costs {
  const { milliseconds } = prices.assumed;
  // The SDK calls a queue at the queue's own address, past the proxy, so these are computed from the design. The relay
  // sends in batches; SNS delivers the carrier's receipt.
  const receipts = 1;
  const sends = (1 + webhooks) / batch + receipts;
  const receivesAndDeletes = (2 * (1 + receipts + webhooks)) / batch;
  // Stored, sent, delivered: three changes of the row that the stream's filter lets through.
  const invocations = {
    'send-sms': 1,
    'relay-changes': 3 / batch,
    'dispatch-message': 1 / batch,
    'record-receipt': receipts / batch,
    'deliver-webhook': webhooks / batch,
    // The batch, and the last call of its window.
    'count-usage': 2 / usageBatch,
  };
  let requests = 0;
  let gigabyteSeconds = 0;
  for (const [name, count] of Object.entries(invocations)) {
    const gigabytes = name === 'send-sms' || name === 'deliver-webhook' ? 1 : 0.5;
    requests += count;
    gigabyteSeconds += (count * milliseconds[name] * gigabytes) / 1000;
  }
  const answerBytes = 1200;
  const webhookBytes = 1500;
  return {
    'API Gateway': prices.api_request,
    'DynamoDB writes':
      (writeUnitsWithoutUsage(counted) / messages + usageWriteUnits(usageBatch)) * prices.dynamodb_write_unit,
    'DynamoDB reads': (counted.readUnits / messages) * prices.dynamodb_read_unit,
    SQS: (sends + receivesAndDeletes) * prices.sqs_request,
    Lambda: requests * prices.lambda_request + gigabyteSeconds * prices.lambda_gb_second,
    Logs: (counted.logBytes / messages / 1e9) * prices.log_gigabyte,
    'Data out': ((answerBytes + webhooks * webhookBytes) / 1e9) * prices.data_out_gigabyte,
  };
}

function writeUnitsWithoutUsage({ writeUnits, tables }: Measured): number {
  const ofUsage = [...tables].filter(([table]) => usageTables.test(table));
  return ofUsage.reduce((units, [, ofTable]) => units - ofTable, writeUnits);
}

/** For one message, if a batch has an addition of its own. */
function usageWriteUnits(messagesInBatch: number): number {
  const transaction = 4;
  const addition = 2;
  const deletedNote = 1;
  // The hour, day and month of one client, and of all clients.
  const rows = 6;
  return (transaction + addition + deletedNote + rows) / messagesInBatch;
}

/** What DynamoDB costs less where capacity is ordered beforehand and the share of it is used that the stack scales to. */
function savedByOrder(column: Costs): number {
  const { write_unit_hour, read_unit_hour, utilization } = prices.dynamodb_provisioned;
  const share = (unitHour: number, unit: number) => 1 - unitHour / 3600 / utilization / unit;
  return (
    (column['DynamoDB writes'] ?? 0) * share(write_unit_hour, prices.dynamodb_write_unit) +
    (column['DynamoDB reads'] ?? 0) * share(read_unit_hour, prices.dynamodb_read_unit)
  );
}

function report(counts: readonly Count[]): void {
  const columns = counts.flatMap(({ load, plain, told }) => {
    const [none, both] = [costs(plain, load, 0), costs(told, load, webhooksOfMessage)];
    const one = Object.fromEntries(
      Object.keys(none).map((key) => [key, ((none[key] ?? 0) + (both[key] ?? 0)) / 2]),
    );
    return [none, one, both];
  });
  console.log(`USD for a million messages, carriers apart. ${prices.source} (${prices.date})\n`);
  const headings = Object.keys(loads).flatMap((load) =>
    ['no webhook', '1 webhook', '2 webhooks'].map((webhooks) => `${webhooks}, ${load}`),
  );
  console.log(`| | ${headings.join(' | ')} |\n|${'---|'.repeat(headings.length + 1)}`);
  const dollars = (value: number | undefined) => ((value ?? 0) * million).toFixed(2);
  for (const key of Object.keys(columns[0] ?? {}))
    console.log(`| ${key} | ${columns.map((column) => dollars(column[key])).join(' | ')} |`);
  const total = (column: Costs) => Object.values(column).reduce((sum, cost) => sum + cost, 0);
  console.log(`| **Total** | ${columns.map((column) => dollars(total(column))).join(' | ')} |`);
  const ordered = columns.map((column) => dollars(total(column) - savedByOrder(column)));
  console.log(`| **Total, with provisionedCapacity** | ${ordered.join(' | ')} |`);
  for (const { load, plain, told } of counts) {
    console.log(
      `\nUsage, computed from the design, ${load.inFlight} in flight: ${usageWriteUnits(load.usageBatch).toFixed(2)} write units for each message`,
    );
    reportCounted(`${load.inFlight} in flight, no webhook`, plain, load.messages);
    reportCounted(`${load.inFlight} in flight, 2 webhooks`, told, load.messages);
  }
}

function reportCounted(title: string, counted: Measured, messages: number): void {
  const { calls, tables, writeUnits, readUnits, logBytes } = counted;
  const each = (value: number) => (value / messages).toFixed(2);
  console.log(
    `\nCounted for each message, ${title}: ${each(writeUnits)} write units, ${each(readUnits)} read units, ${each(logBytes)} log bytes`,
  );
  for (const [table, units] of [...tables].sort(([, a], [, b]) => b - a))
    console.log(`  ${each(units)} write units: ${table}`);
  for (const [call, count] of [...calls].sort(([, a], [, b]) => b - a))
    console.log(`  ${call} ${each(count)}`);
}
