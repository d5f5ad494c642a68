/** `npm start`: runs the gateway on this machine until it is stopped. Leaves no process behind. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { readCarriersFile } from '../lib/local/carriers-file.ts';
import { type Connection, connectionOf } from '../lib/local/connection.ts';
import { type LocalGateway, startLocalGateway } from '../lib/local/gateway.ts';
import { StartFailure } from '../lib/local/start-failure.ts';
import { stopRequest } from '../lib/local/stop-request.ts';
import { welcome } from '../lib/local/welcome.ts';
import { demoClients } from './demo-clients.ts';

const localFolder = join(import.meta.dirname, '..', '.local');
const connectionFile = join(localFolder, 'gateway.json');

const options = new Command()
  .name('npm start --')
  .description('Runs the messaging gateway on this machine.')
  .option('--port <port>', 'the port of the API', wholeNumberUpTo(65_535), 3000)
  .option('--time-scale <times>', 'divide webhook retry delays by this number', wholeNumberUpTo(100_000), 1)
  .option(
    '--carriers <file>',
    'use the real carriers in this file, or doubles of them (docs/local.md); other channels stay simulated',
  )
  .option('--json', 'print one line of JSON on standard output when ready', false)
  .parse()
  .opts<{ port: number; timeScale: number; carriers?: string; json: boolean }>();

const stopping = new AbortController();
const askedToStop = stopRequest({
  stop: () => {
    printLine('Stopping…');
    stopping.abort();
  },
  // The emulator ends after this process.
  force: () => process.exit(1),
  now: () => performance.now(),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, askedToStop);

process.exitCode = await run().catch((error: unknown) => {
  if (stopping.signal.aborted) return 0;
  printLine(error instanceof StartFailure ? error.message : `The gateway cannot start: ${String(error)}`);
  return 1;
});
process.exit();

async function run(): Promise<number> {
  const gateway = await startLocalGateway({
    port: options.port,
    timeScale: options.timeScale,
    carriers: options.carriers === undefined ? undefined : readCarriersFile(options.carriers),
    cacheFolder: localFolder,
    logFolder: localFolder,
    environment: process.env,
    progress: printLine,
    signal: stopping.signal,
  });
  try {
    const clients = await demoClients(gateway);
    const connection = connectionOf(gateway, clients);
    // The file is deleted first, because an existing file would keep its permissions.
    await rm(connectionFile, { force: true });
    await writeFile(connectionFile, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
    announce(connection);
    return await untilEnded(gateway);
  } finally {
    await forget(gateway);
    await gateway.stop();
  }
}

/** Deletes the connection file, unless another gateway has replaced it. */
async function forget({ aws }: LocalGateway): Promise<void> {
  const text = await readFile(connectionFile, 'utf8').catch(() => '');
  if (text.includes(JSON.stringify(aws.endpoint))) await rm(connectionFile, { force: true });
}

function announce(connection: Connection): void {
  if (options.json) process.stdout.write(`${JSON.stringify(connection)}\n`);
  else process.stdout.write(welcome(connection));
}

async function untilEnded(gateway: LocalGateway): Promise<number> {
  const died = await Promise.race([
    gateway.ended.then(() => true),
    new Promise<boolean>((settle) => {
      if (stopping.signal.aborted) settle(false);
      stopping.signal.addEventListener('abort', () => settle(false));
    }),
  ]);
  if (!died) return 0;
  printLine(`The AWS emulator ended; see ${join(localFolder, 'emulator.log')}, and start again.`);
  return 1;
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function wholeNumberUpTo(maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > maximum) {
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${maximum}.`);
    }
    return value;
  };
}
