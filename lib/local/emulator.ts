/** Runs MiniStack on the loopback address, with IAM enforced, as a child process that ends with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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

/** The time limit for the emulator's start on a busy machine. */
const readyWithinMs = 60_000;
const stopWithinMs = 5000;

/** Runs MiniStack as the leader of a process group that ends with this process. */
const launcher = join(import.meta.dirname, 'run_emulator.py');

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/**
 * Starts the emulator and waits until it responds.
 *
 * @throws StartFailure if the emulator does not respond
 */
export async function startEmulator(options: {
  readonly python: string;
  readonly logFile: string;
  /** The PATH of this process, so that functions run with its Node. */
  readonly searchPath: string;
  /** The AWS endpoint that functions use, if it is a proxy in front of the emulator. */
  readonly functionsEndpoint?: string;
  /** A Python file, with its variables, that runs in the emulator's process before the start. */
  readonly preload?:
    | {
        readonly file: string;
        readonly environment: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly signal: AbortSignal;
}) {
  const port = await freePort();
  const scratch = await mkdtemp(join(tmpdir(), 'messaging-gateway-emulator-'));
  await mkdir(dirname(options.logFile), { recursive: true });
  const log = createWriteStream(options.logFile, { mode: 0o600 });
  // With `-B`, the launcher writes no bytecode files into the source folder.
  const child = spawn(options.python, ['-B', launcher], {
    // No other variables of this process are passed, because functions inherit the emulator's environment.
    env: {
      PATH: `${dirname(process.execPath)}:${options.searchPath}`,
      HOME: scratch,
      TMPDIR: scratch,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      AUTH: 'true',
      IOT_MTLS_ENABLED: '0',
      ...(options.functionsEndpoint === undefined ? {} : { AWS_ENDPOINT_URL: options.functionsEndpoint }),
      ...(options.preload === undefined
        ? {}
        : { PRELOAD: options.preload.file, ...options.preload.environment }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Errors of the input are ignored, because the process may end before its input is closed.
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
    /** Stops the emulator and all its function processes. */
    async stop(): Promise<void> {
      child.stdin.end();
      await Promise.race([ended, pause(stopWithinMs, undefined, { ref: false })]);
      killGroup(child);
      await ended;
      log.end();
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  try {
    await untilReady(emulator.endpoint, ended, options);
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return emulator;
}

async function untilReady(
  endpoint: string,
  ended: Promise<void>,
  { logFile, signal }: { readonly logFile: string; readonly signal: AbortSignal },
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
