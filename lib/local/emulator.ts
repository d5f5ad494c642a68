/** Runs MiniStack as a child process, with IAM enforced and on loopback only. It ends with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  choosePort,
  forgetEmulator,
  keepWithinMs,
  keptFolders,
  makePrivate,
  nameEmulator,
} from './data-folder.ts';
import { followSaves } from './saves.ts';
import { StartFailure } from './start-failure.ts';

/** The credentials, account and region of the emulator. */
export const emulatorAccess = {
  region: 'us-east-1',
  accessKeyId: 'test',
  secretAccessKey: 'test',
} as const;

/** The emulator may take this long to start on a busy machine. */
const readyWithinMs = 60_000;
const stopWithinMs = 5000;

/** Runs MiniStack as the leader of a process group that ends with this process. */
const launcher = join(import.meta.dirname, 'run_emulator.py');

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

export interface Preload {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface EmulatorOptions {
  readonly python: string;
  readonly logFile: string;
  /** The folder that keeps the state over a restart; without it nothing is kept. */
  readonly dataFolder?: string | undefined;
  /** The PATH of this process; functions run with the Node of this process. */
  readonly searchPath: string;
  /** The AWS endpoint of functions, if it is a proxy in front of the emulator. */
  readonly functionsEndpoint?: string;
  /** A Python file to run in the emulator's process before it starts, with its variables. */
  readonly preload?: Preload | undefined;
  /** Receives the messages about state that cannot be kept. */
  readonly report?: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts the emulator and waits until it answers.
 *
 * @throws StartFailure when it does not.
 */
export async function startEmulator(options: EmulatorOptions) {
  if (options.dataFolder !== undefined) await makePrivate(options.dataFolder);
  const port = await choosePort(options.dataFolder, options.signal);
  const scratch = await mkdtemp(join(tmpdir(), 'messaging-gateway-emulator-'));
  await mkdir(dirname(options.logFile), { recursive: true });
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  // The launcher writes no bytecode files into the source folder.
  const child = spawn(options.python, ['-B', launcher], {
    // The emulator gets nothing else of the caller's environment, because functions inherit the emulator's environment.
    env: {
      PATH: `${dirname(process.execPath)}:${options.searchPath}`,
      HOME: scratch,
      TMPDIR: scratch,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      AUTH: 'true',
      IOT_MTLS_ENABLED: '0',
      ...(options.functionsEndpoint === undefined ? {} : { AWS_ENDPOINT_URL: options.functionsEndpoint }),
      ...(options.dataFolder === undefined
        ? {}
        : { PERSIST_STATE: '1', S3_PERSIST: '1', ...keptFolders(options.dataFolder) }),
      ...(options.preload === undefined
        ? {}
        : { PRELOAD: options.preload.file, ...options.preload.environment }),
    },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { dataFolder, report = () => undefined } = options;
  const saves =
    dataFolder === undefined ? undefined : followSaves(child.stdio[3] as Readable, dataFolder, report);
  // The process may end before its input is closed.
  child.stdin.on('error', () => undefined);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const emulator = {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    /** Resolves when the process has ended, for any reason. */
    ended,
    /**
     * Keeps the state from now on, if there is a data folder. Call it when the gateway is deployed. Resolves after the
     * first save.
     *
     * @throws StartFailure if the state cannot be kept
     */
    async keep(): Promise<void> {
      child.stdin.write('keep');
      await saves?.first();
    },
    /** Stops the emulator and all its function processes. @returns whether the state was kept, or did not have to be */
    async stop(): Promise<boolean> {
      child.stdin.end();
      await Promise.race([
        ended,
        pause(saves === undefined ? stopWithinMs : keepWithinMs, undefined, { ref: false }),
      ]);
      killGroup(child);
      await ended;
      const kept = (await saves?.end()) ?? true;
      if (dataFolder !== undefined) await forgetEmulator(dataFolder);
      log.end();
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
      return kept;
    },
  };
  try {
    if (dataFolder !== undefined) await nameEmulator(dataFolder, emulator.pid);
    await untilReady(emulator.endpoint, ended, options);
  } catch (error) {
    await emulator.stop();
    const refusal = saves?.refusal();
    throw refusal === undefined ? error : new StartFailure(refusal, { cause: error });
  }
  return emulator;
}

async function untilReady(
  endpoint: string,
  ended: Promise<void>,
  { logFile, signal }: EmulatorOptions,
): Promise<void> {
  let dead = false;
  void ended.then(() => {
    dead = true;
  });
  const deadline = Date.now() + readyWithinMs;
  while (!dead && Date.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(`${endpoint}/_ministack/health`, {
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
