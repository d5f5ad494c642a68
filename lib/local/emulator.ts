/** Runs MiniStack as a child process: with IAM enforced, on loopback only, and ended with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from './start-failure.ts';

/** The credentials, account and region of the emulator. */
export const emulatorAccess = {
  region: 'us-east-1',
  accessKeyId: 'test',
  secretAccessKey: 'test',
} as const;

/** On a busy machine it takes long. */
const readyWithinMs = 60_000;
const stopWithinMs = 5000;
/** The emulator writes its state when it stops, which takes a while on a busy machine. */
const keepWithinMs = 90_000;

/** Runs MiniStack as the leader of a process group that ends with this process. */
const launcher = join(import.meta.dirname, 'run_emulator.py');

export interface Emulator {
  readonly endpoint: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Stops the emulator and all its function processes. */
  stop(): Promise<void>;
}

export interface Preload {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface EmulatorOptions {
  readonly python: string;
  readonly logFile: string;
  /** Where the state is kept over a restart; without it nothing is kept. */
  readonly dataFolder?: string | undefined;
  /** The PATH of this process; functions run with the Node of this process. */
  readonly searchPath: string;
  /** The AWS endpoint of functions, if it is a proxy in front of the emulator. */
  readonly functionsEndpoint?: string;
  /** A Python file to run in the emulator's process before it starts, with its variables. */
  readonly preload?: Preload | undefined;
  readonly signal: AbortSignal;
}

/**
 * Starts the emulator and waits until it answers.
 *
 * @throws StartFailure when it does not.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  if (options.dataFolder !== undefined) await makePrivate(options.dataFolder);
  const port = await choosePort(options.dataFolder, options.signal);
  const scratch = await mkdtemp(join(tmpdir(), 'messaging-gateway-emulator-'));
  await mkdir(dirname(options.logFile), { recursive: true });
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  // No bytecode files in the source folder.
  const child = spawn(options.python, ['-B', launcher], {
    // Nothing else of the caller's environment, because functions inherit the emulator's environment.
    env: {
      PATH: `${dirname(process.execPath)}:${options.searchPath}`,
      HOME: scratch,
      TMPDIR: scratch,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      AUTH: 'true',
      IOT_MTLS_ENABLED: '0',
      ...(options.functionsEndpoint === undefined ? {} : { AWS_ENDPOINT_URL: options.functionsEndpoint }),
      ...(options.dataFolder === undefined ? {} : persistence(options.dataFolder)),
      ...(options.preload === undefined
        ? {}
        : { PRELOAD: options.preload.file, ...options.preload.environment }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // The process may end before its input is closed.
  child.stdin.on('error', () => undefined);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const emulator: Emulator = {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    ended,
    async stop() {
      child.stdin.end();
      const limit = options.dataFolder === undefined ? stopWithinMs : keepWithinMs;
      await Promise.race([ended, pause(limit, undefined, { ref: false })]);
      killGroup(child);
      await ended;
      // Another process may have the number one day, and a start would wait for that one.
      if (options.dataFolder !== undefined) await rm(pidFile(options.dataFolder), { force: true });
      log.end();
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  try {
    if (options.dataFolder !== undefined) {
      await writeFile(pidFile(options.dataFolder), String(emulator.pid), { mode: 0o600 });
    }
    await untilReady(emulator, options);
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return emulator;
}

function persistence(folder: string): Record<string, string> {
  return {
    PERSIST_STATE: '1',
    S3_PERSIST: '1',
    ...keptFolders(folder),
  };
}

function keptFolders(folder: string) {
  return { STATE_DIR: join(folder, 'state'), S3_DATA_DIR: join(folder, 's3') };
}

/** The state has secrets and messages, so only the owner may read it. The mode of an existing folder is not changed. */
async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of Object.values(keptFolders(folder))) {
      await mkdir(name, { recursive: true });
      await chmod(name, 0o700);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`Data cannot be kept in ${folder}: ${reason}.`);
  }
}

/**
 * Stored queue URLs contain the port, so a data folder always uses the same one. The emulator of a killed gateway finishes
 * what runs, frees its port, and writes its state last: only when it has ended may another one read that.
 *
 * @throws StartFailure where a gateway runs on the folder, or something else has the port.
 */
export async function choosePort(dataFolder: string | undefined, signal: AbortSignal): Promise<number> {
  if (dataFolder === undefined) return freePort();
  const file = join(dataFolder, 'emulator-port');
  const [kept, gateway, emulator] = await Promise.all([
    numberIn(file),
    numberIn(join(dataFolder, 'gateway-pid')),
    numberIn(pidFile(dataFolder)),
  ]);
  const deadline = Date.now() + keepWithinMs;
  while (!isRunning(gateway) && isRunning(emulator) && Date.now() < deadline) {
    await pause(100, undefined, { signal });
  }
  const port = await freePort(kept).catch(() => {
    throw new StartFailure(
      `Port ${kept}, which ${dataFolder} was made with, is taken; is a gateway running on that data?`,
    );
  });
  await writeFile(file, String(port), { mode: 0o600 });
  await writeFile(join(dataFolder, 'gateway-pid'), String(process.pid), { mode: 0o600 });
  return port;
}

/** Names the emulator's process until the gateway has stopped it. */
function pidFile(dataFolder: string): string {
  return join(dataFolder, 'emulator-pid');
}

/** 0 where there is no such file. */
async function numberIn(file: string): Promise<number> {
  return Number(await readFile(file, 'utf8').catch(() => '0')) || 0;
}

function isRunning(pid: number): boolean {
  try {
    // 0 would be this process and its group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}

async function untilReady(emulator: Emulator, { logFile, signal }: EmulatorOptions): Promise<void> {
  let dead = false;
  void emulator.ended.then(() => {
    dead = true;
  });
  const deadline = Date.now() + readyWithinMs;
  while (!dead && Date.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(`${emulator.endpoint}/_ministack/health`, {
      signal: AbortSignal.timeout(2000),
    }).catch(() => undefined);
    if (response?.ok === true) return;
    await pause(50);
  }
  throw new StartFailure(`The AWS emulator ${dead ? 'ended at once' : 'does not answer'}; see ${logFile}.`);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
