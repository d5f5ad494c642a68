/**
 * `npm run bench -- fairness [backlog] [workers]`: how long the messages of quiet clients wait on the outbound queue while
 * one client's backlog is worked off. Measured on the emulator's queue, which hands out the oldest first; then the very
 * messages that came out of it, with the groups that they bore there, in the order of AWS's fair queues, simulated. The
 * oldest-first order is simulated too: that it agrees with what was measured is what the simulation can be trusted by.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { aimAtEmulator } from '../../lib/local/aim-at-emulator.ts';
import { emulatorAccess, startEmulator } from '../../lib/local/emulator.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { sqsOutboundQueue } from '../../shared/message/dispatch/outbound-queue.sqs.ts';
import { sqs } from '../../shared/platform/aws/clients.ts';
import { fairOrder, type IncomingRequest, type Order, oldestFirst, waits } from './fair-queue.ts';
import { printMachine, printTable, quantile } from './figures.ts';

const [backlog = 4000, count = 20] = process.argv.slice(2).map(Number);
/** As the function is fed, and a carrier that answers within a second. */
const workers = { count, batchSize: 10, batchMs: 1000 };
const busy = 'busy';
const quietClients = 20;
/** One message of a quiet client after the other, for as long as the backlog takes. */
const everyMs = 100;
const drainMs = (backlog / (workers.count * workers.batchSize)) * workers.batchMs;

interface Handled extends IncomingRequest {
  readonly waitedMs: number;
}

printMachine(`npm run bench -- fairness ${backlog} ${count}`);
const localFolder = join(import.meta.dirname, '..', '..', '.local');
const { signal } = new AbortController();
const emulator = await startEmulator({
  python: await pythonWithPackages(localFolder, (line) => process.stderr.write(`${line}\n`), signal),
  logFile: join(localFolder, 'bench', 'emulator.log'),
  searchPath: process.env.PATH ?? '',
  signal,
});
try {
  aimAtEmulator(process.env, {
    endpoint: emulator.endpoint,
    region: emulatorAccess.region,
    access_key_id: emulatorAccess.accessKeyId,
    secret_access_key: emulatorAccess.secretAccessKey,
  });
  const client = sqs();
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'outbound' }));
  const handled = await measured(client, QueueUrl);
  const groups = new Set(handled.map(({ group }) => group));
  if (groups.size !== quietClients + 1) throw new Error(`${groups.size} groups on the queue`);
  const first = Math.min(...handled.map(({ atMs }) => atMs));
  const arrivals = handled
    .map((one) => ({ ...one, atMs: one.atMs - first }))
    .toSorted((a, b) => a.atMs - b.atMs);
  const simulated = (order: Order): readonly Handled[] => {
    const waited = waits(arrivals, workers, order);
    return arrivals.map((incoming, index) => ({ ...incoming, waitedMs: waited[index] ?? Number.NaN }));
  };
  printTable(
    ['seconds until a worker has it', 'quiet p50', 'p99', 'busy p50', 'p99'],
    [
      ['oldest first, measured on the emulator', ...usageOf(handled)],
      ['oldest first, simulated', ...usageOf(simulated(oldestFirst))],
      ["AWS's fair order, simulated", ...usageOf(simulated(fairOrder()))],
    ],
  );
} finally {
  await emulator.stop();
}

/** Puts the backlog on the queue, then the quiet clients' messages while workers take what the queue gives them. */
async function measured(client: SQSClient, queueUrl: string): Promise<readonly Handled[]> {
  const queue = sqsOutboundQueue(client, { otp: queueUrl, single: queueUrl, bulk: queueUrl });
  const kind = 'single';
  const entries = Array.from(
    { length: backlog },
    (_, i) => ({ messageId: `msg_${i}`, clientId: busy, kind, delaySeconds: 0 }) as const,
  );
  for (let from = 0; from < backlog; from += 100) await queue.enqueue(entries.slice(from, from + 100));

  const handled: Handled[] = [];
  const quiet = Math.floor(drainMs / everyMs);
  const total = backlog + quiet;
  const working = Array.from({ length: workers.count }, async () => {
    while (handled.length < total) {
      const messages = await receive(client, queueUrl);
      if (messages.length === 0) continue;
      const now = Date.now();
      handled.push(...messages.map((message) => handledAt(message, now)));
      await pause(workers.batchMs);
      const Entries = messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  });
  for (let i = 0; i < quiet; i += 1) {
    await queue.enqueue([
      { messageId: `msg_quiet_${i}`, clientId: `quiet-${i % quietClients}`, kind, delaySeconds: 0 },
    ]);
    await pause(everyMs);
  }
  await Promise.all(working);
  return handled;
}

async function receive(client: SQSClient, queueUrl: string): Promise<readonly Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: workers.batchSize,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp'],
    }),
  );
  return Messages;
}

/** @throws Error where a message is on the queue without its client: no queue could be fair with it. */
function handledAt({ Attributes }: Message, now: number): Handled {
  const { MessageGroupId: group, SentTimestamp: sent } = Attributes ?? {};
  if (group === undefined) throw new Error('a message without a group');
  return { group, atMs: Number(sent), waitedMs: now - Number(sent) };
}

function usageOf(handled: readonly Handled[]): readonly string[] {
  const seconds = (ofBusy: boolean, fraction: number): string => {
    const waited = handled.filter(({ group }) => (group === busy) === ofBusy).map(({ waitedMs }) => waitedMs);
    return (quantile(waited, fraction) / 1000).toFixed(1);
  };
  return [seconds(false, 0.5), seconds(false, 0.99), seconds(true, 0.5), seconds(true, 0.99)];
}
