/** `npm start -- --carriers FILE` as a child, reached by HTTP alone, whose workers are killed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../lib/local/connection.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { killProcess } from '../support/gateway/function-processes.ts';

const root = join(import.meta.dirname, '..', '..');

/** Limits that no run reaches, for the requests of a run. */
const counted = [
  'POST /api/v1/sms/send',
  'POST /api/v1/whatsapp/send',
  'GET /api/v1/messages',
  'GET /api/v1/account',
];
const limits = { per_minute: 20_000, per_hour: 1_000_000, per_day: 10_000_000 };

const requestMs = 60_000;

export interface RunningGateway {
  readonly baseUrl: string;
  /** A request of the demo client. */
  call(method: 'GET' | 'POST', path: string, body?: object, headers?: HeadersInit): Promise<Response>;
  /** Kills one worker of each function whose name has one of these words; returns how many. */
  killWorkers(words: readonly string[]): number;
  stop(): Promise<void>;
}

/** @param carriers - the content of FILE */
export async function startGateway(carriers: object): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-carriers-'));
  const file = join(folder, 'carriers.json');
  writeFileSync(file, JSON.stringify(carriers));
  const args = ['bin/local.ts', '--json', '--port', String(await freePort()), '--carriers', file];
  const child = spawn('node', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => child.kill('SIGTERM'));
  try {
    return await reachGateway(await connectionOf(child), child.pid ?? 0, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param pid - the process whose child the emulator is */
export async function reachGateway(
  connection: Connection,
  pid: number,
  stop: () => Promise<void>,
): Promise<RunningGateway> {
  const { base_url: baseUrl, client_id, client_secret, admin } = connection;
  const adminToken = await tokenOf(baseUrl, admin);
  for (const endpoint of counted) {
    const path = `/admin/api/clients/${client_id}/limits`;
    const response = await request(baseUrl, adminToken, 'PATCH', path, { endpoint, ...limits });
    if (!response.ok) throw new Error(`PATCH ${path}: ${response.status} ${await response.text()}`);
  }
  const token = await tokenOf(baseUrl, { client_id, client_secret });
  return {
    baseUrl,
    call: (method, path, body, headers) => request(baseUrl, token, method, path, body, headers),
    killWorkers: (words) => killWorkersOf(pid, words),
    stop,
  };
}

async function connectionOf({ stdout }: ChildProcess): Promise<Connection> {
  if (stdout === null) throw new Error('the gateway has no output');
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as Connection;
  throw new Error('the gateway did not start');
}

async function tokenOf(
  baseUrl: string,
  credentials: { readonly client_id: string; readonly client_secret: string },
): Promise<string> {
  const body = { grant_type: 'client_credentials', ...credentials };
  const response = await request(baseUrl, undefined, 'POST', '/api/v1/auth/token', body);
  return ((await response.json()) as { readonly access_token: string }).access_token;
}

function request(
  baseUrl: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: object,
  headers: HeadersInit = {},
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...Object.fromEntries(new Headers(headers)),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(requestMs),
  });
}

/** The emulator, a child of the gateway's process, runs each worker as a child of its own. */
function killWorkersOf(gatewayPid: number, words: readonly string[]): number {
  const processes = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    });
  const emulators = processes.filter(({ parent }) => parent === gatewayPid).map(({ pid }) => pid);
  const workers = processes.filter(({ parent }) => emulators.includes(parent));
  return words.filter((word) => {
    const worker = workers.find(({ command }) => command.includes(word));
    return worker !== undefined && killProcess(worker);
  }).length;
}

/** Repeats until it is stopped, and returns how many were killed. */
export function keepKilling(
  gateway: RunningGateway,
  words: readonly string[],
  everyMs: number,
): () => Promise<number> {
  const stopping = new AbortController();
  const killing = (async () => {
    let killed = 0;
    while (!stopping.signal.aborted) {
      killed += gateway.killWorkers(words);
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return killed;
  })();
  return () => {
    stopping.abort();
    return killing;
  };
}
