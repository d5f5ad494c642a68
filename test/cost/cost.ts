/**
 * What AWS takes for a million messages, carriers apart: `npm run cost` sends messages through the deployed gateway,
 * counts every call that its functions make, and multiplies by the prices of `prices.json`.
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
import { deploy } from '../../lib/local/deploy.ts';
import { emulatorAccess, startEmulator } from '../../lib/local/emulator.ts';
import { startFront } from '../../lib/local/front.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { resourcesOf } from '../../lib/outputs.ts';
import { stages } from '../../lib/stages.ts';
import { documentClient } from '../../shared/aws.ts';
import { dynamoClientAdmin } from '../../shared/client/client-admin.dynamo.ts';
import { createDemoClients } from '../../shared/client/demo-clients.ts';
import { startReceiver } from '../deploy/traffic.ts';
import { type Counted, startCountingProxy } from './counting-proxy.ts';

const prices = JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8'));
const messages = 40;
const million = 1_000_000;
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
const receiver = await startReceiver();
try {
  const outputs = await deploy({
    stage: stages.local,
    endpoint: emulator.endpoint,
    logFile: join(logFolder, 'deploy.log'),
    environment: process.env,
  });
  front.open({ endpoint: emulator.endpoint, apiId: outputs.ApiId ?? '', apiStage: 'live' });
  const { region, ...credentials } = emulatorAccess;
  const config = { endpoint: emulator.endpoint, region, credentials };
  const dynamo = documentClient(new DynamoDBClient(config));
  const clients = await createDemoClients(dynamoClientAdmin(dynamo, resourcesOf(outputs).tables), new Date());
  const logs = new CloudWatchLogsClient(config);
  const base = `http://127.0.0.1:${front.port}`;

  // The functions' first calls read what later ones remember.
  await run(base, clients.api_key, 5);
  const plain = await measured(logs, () => run(base, clients.api_key, messages));
  const told = await measured(logs, () => run(base, clients.api_key, messages, receiver.url));
  report(plain, told);
} finally {
  receiver.close();
  await front.close();
  await emulator.stop();
  proxy.close();
}
process.exit();

interface Measured extends Counted {
  readonly logBytes: number;
}

/** Sends messages and waits until nothing more happens. */
async function run(base: string, apiKey: string, count: number, webhookUrl?: string): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await fetch(`${base}/api/v1/sms/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        to: '+447700900123',
        message: 'Your order is on its way.',
        webhook_url: webhookUrl,
      }),
    });
    if (answer.status === 429) {
      await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
      sent -= 1;
    } else if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  }
  // The simulated carrier's last receipt comes within seconds.
  await pause(20_000);
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

/** What one message takes, by where the money goes. */
function costs(each: Measured, webhooks: number, batch: number): Readonly<Record<string, number>> {
  const calls = (name: string): number => (each.calls.get(name) ?? 0) / messages;
  const { milliseconds, platform_log_bytes } = prices.assumed;
  // The SDK sends to a queue's own address, past the proxy: to the outbound queue, the final receipt, each webhook.
  const queued = 2 + webhooks;
  // Stored, sent, delivered: three changes of the row, each read from the stream.
  const invocations = {
    'send-sms': 1,
    'relay-changes': 3 / batch,
    'dispatch-message': 1 / batch,
    'record-receipt': 1 / batch,
    'deliver-webhook': webhooks / batch,
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
    'DynamoDB writes': (each.writeUnits / messages) * prices.dynamodb_write_unit,
    'DynamoDB reads': (each.readUnits / messages) * prices.dynamodb_read_unit,
    SQS: (queued + (2 * queued) / batch) * prices.sqs_request,
    Lambda: requests * prices.lambda_request + gigabyteSeconds * prices.lambda_gb_second,
    Logs: ((each.logBytes / messages + requests * platform_log_bytes) / 1e9) * prices.log_gigabyte,
    Scheduler: calls('POST schedules') * prices.scheduler_invocation,
    'Data out': ((answerBytes + webhooks * webhookBytes) / 1e9) * prices.data_out_gigabyte,
  };
}

function report(plain: Measured, told: Measured): void {
  const columns = [1, 10].flatMap((batch) => {
    const [none, both] = [costs(plain, 0, batch), costs(told, 2, batch)];
    const one = Object.fromEntries(
      Object.keys(none).map((key) => [key, ((none[key] ?? 0) + (both[key] ?? 0)) / 2]),
    );
    return [none, one, both];
  });
  console.log(`USD for a million messages, carriers apart. ${prices.source} (${prices.date})\n`);
  console.log(
    '| | no webhook | 1 webhook | 2 webhooks | no webhook, batches of 10 | 1 webhook, batches of 10 | 2 webhooks, batches of 10 |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const key of Object.keys(columns[0] ?? {}))
    console.log(
      `| ${key} | ${columns.map((column) => ((column[key] ?? 0) * million).toFixed(2)).join(' | ')} |`,
    );
  const total = (column: Readonly<Record<string, number>>) =>
    Object.values(column).reduce((sum, cost) => sum + cost, 0);
  console.log(`| **Total** | ${columns.map((column) => (total(column) * million).toFixed(2)).join(' | ')} |`);
  for (const [name, { calls, tables, writeUnits, readUnits, logBytes }] of Object.entries({
    'no webhook': plain,
    '2 webhooks': told,
  })) {
    const each = (value: number) => (value / messages).toFixed(2);
    console.log(
      `\nCounted for each message, ${name}: ${each(writeUnits)} write units, ${each(readUnits)} read units, ${each(logBytes)} log bytes`,
    );
    for (const [table, units] of [...tables].sort(([, a], [, b]) => b - a))
      console.log(`  ${each(units)} write units: ${table}`);
    for (const [call, count] of [...calls].sort(([, a], [, b]) => b - a))
      console.log(`  ${call} ${each(count)}`);
  }
}
