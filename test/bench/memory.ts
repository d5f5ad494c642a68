/**
 * `npm run bench -- memory [invocations] [function …]`: what one process of each function holds over so many invocations
 * (2,000; in full 50,000), each of them another, from thousands of clients: after a collection, on five marks of the
 * way. A process of its own runs the function's bundle; AWS and the endpoints are servers in this one. Exits with 1
 * where memory grows.
 */
import { fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { startCannedAws } from './canned-aws.ts';
import { cannedRows } from './canned-rows.ts';
import { printMachine, printTable } from './figures.ts';
import { functionEnvironment } from './function-environment.ts';
import type { Order, Told } from './memory-process.ts';

const [invocationsText = '2000', ...only] = process.argv.slice(2);
const invocations = Number(invocationsText);
const marks = [0.1, 0.25, 0.5, 0.75, 1];
/** Until then caches fill and code is compiled. */
const warmMarks = 1;
/** Flat is a fitted line that rises by no more than this from the first mark that counts to the last. */
const flat = { heapMb: 0.5, rssMb: 16 };
const atOnce = 2;
/** In proportion as in a function of 512 MB. */
const limitsOfV8 = ['--max-old-space-size=460', '--max-semi-space-size=25'];
/** An idle connection to an endpoint stays open for four seconds. */
const settleMs: Readonly<Record<string, number>> = { 'deliver-webhook': 5000 };
/** More than any cache remembers, where there are invocations enough. */
const clients = Math.min(6000, Math.ceil(invocations / 10));

printMachine(`npm run bench -- memory ${process.argv.slice(2).join(' ') || invocations}`);
const bundle = bundleFunctions();
const webhookEndpoint = createServer((request, response) => {
  const failing = Number(request.url?.split('/').pop()) % 10 === 0;
  request.resume().on('end', () => response.writeHead(failing ? 500 : 200).end('ok'));
}).listen(0, '0.0.0.0');
await once(webhookEndpoint, 'listening');
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = await exportJWK(publicKey);
const kid = await calculateJwkThumbprint(jwk);
const rowSettings = {
  clients,
  webhookEndpointPort: (webhookEndpoint.address() as AddressInfo).port,
  signingKeyRow: { kid, public_jwk: JSON.stringify(jwk), created_at: new Date().toISOString() },
};
const aws = await startCannedAws(cannedRows(rowSettings));
const queueUrl = (name: string): string => `${aws.url}/000000000000/${name}`;
const environment = {
  ...functionEnvironment,
  OTP_OUTBOUND_QUEUE_URL: queueUrl('otp-outbound'),
  OUTBOUND_QUEUE_URL: queueUrl('outbound'),
  BULK_OUTBOUND_QUEUE_URL: queueUrl('bulk-outbound'),
  WEBHOOKS_QUEUE_URL: queueUrl('webhooks'),
  SLOW_WEBHOOKS_QUEUE_URL: queueUrl('slow-webhooks'),
  RELAY_DEAD_LETTER_QUEUE_URL: queueUrl('relay-dead-letters'),
  // As in production: the carriers' own clients.
  SMS_CARRIER: 'aws',
  WHATSAPP_CARRIER: 'aws',
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
};

const names = bundle.functionNames.filter((name) => only.length === 0 || only.includes(name));
const rows: string[][] = [];
const left = [...names];
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const row = rowOf(name, await measure(name));
      process.stderr.write(`${row.join('  ')}\n`);
      rows.push(row);
    }
  }),
);
await aws.stop();
webhookEndpoint.close().closeAllConnections();
const percents = marks.map((mark) => `${mark * 100} %`);
console.log(`${invocations.toLocaleString('en')} invocations of each function, from ${clients} clients.`);
console.log(`Heap in MB, on each mark; then fitted from ${percents[warmMarks]} on, a thousand invocations:`);
printTable(
  ['function', ...percents, 'heap KB', 'RSS MB', 'RSS KB', 'calls/s', 'verdict', 'answers'],
  rows.toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)),
);
const seen = (invocations * ((marks.at(-1) ?? 1) - (marks[warmMarks] ?? 0))) / 1000;
console.log(
  `Flat: the line rises by no more than ${flat.heapMb} MB of heap (${((flat.heapMb * 1024) / seen).toFixed(0)} KB a thousand) and ${flat.rssMb} MB of RSS in these ${seen} thousand.`,
);
if (rows.some((row) => !row.includes('flat'))) process.exitCode = 1;

async function measure(functionName: string): Promise<Told> {
  const folder = bundle.folder(functionName);
  const order: Order = {
    functionName,
    bundleFile: join(folder, 'index.js'),
    invocations,
    marks,
    settleMs: settleMs[functionName] ?? 200,
    events: {
      ...rowSettings,
      signingKey: { kid, privateKeyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() },
      dashboardFiles: dashboardFiles(),
    },
  };
  const child = fork(join(import.meta.dirname, 'memory-process.ts'), {
    env: environment,
    execArgv: ['--expose-gc', ...limitsOfV8],
    // The function's log goes nowhere.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  child.send(order);
  const [told] = (await Promise.race([once(child, 'message'), ended])) ?? ['it ended'];
  await ended;
  if (typeof told === 'string') throw new Error(`the process of ${functionName}: ${told}`);
  return told as Told;
}

function dashboardFiles(): string[] {
  const list = readFileSync(join(bundle.folder('admin-dashboard'), 'files', 'list.json'), 'utf8');
  return (JSON.parse(list) as { name: string }[]).map(({ name }) => name);
}

function rowOf(name: string, { heapMb, rssMb, perSecond, answers }: Told): string[] {
  const [heap, rss] = [slopePerThousand(heapMb), slopePerThousand(rssMb)];
  const span = (invocations * ((marks.at(-1) ?? 1) - (marks[warmMarks] ?? 0))) / 1000;
  const isFlat = heap * span <= flat.heapMb && rss * span <= flat.rssMb;
  return [
    name,
    ...heapMb.map((mb) => mb.toFixed(1)),
    signed(heap * 1024),
    `${rssMb[warmMarks]?.toFixed(0)} to ${rssMb.at(-1)?.toFixed(0)}`,
    signed(rss * 1024),
    perSecond.toFixed(0),
    isFlat ? 'flat' : 'GROWS',
    Object.entries(answers)
      .map(([answer, count]) => `${answer} × ${count}`)
      .join(', '),
  ];
}

/** The slope of the line that fits best, in MB. */
function slopePerThousand(mb: readonly number[]): number {
  const points = marks.map((mark, i) => [(mark * invocations) / 1000, mb[i] ?? 0] as const).slice(warmMarks);
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return above / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(1)}`;
}
