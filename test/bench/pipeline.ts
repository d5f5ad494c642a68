/**
 * `npm run bench -- pipeline FOLDER [turns] [messages]`: the processor time of one SMS with two webhooks (sent and
 * delivered) through a whole local gateway, in this checkout and in another one (FOLDER, with `npm ci` done), in turns.
 * It adds up all processes of the gateway: its functions by name, its front, and the emulator, which stands for AWS.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../lib/local/connection.ts';
import { documentClient, dynamoClient } from '../../shared/platform/aws/clients.ts';
import { median, printMachine, printTable, ratio } from './figures.ts';

const [folder = '', turns = '7', messages = '400'] = process.argv.slice(2);
const sides = { own: join(import.meta.dirname, '..', '..'), other: resolve(folder) };
const perMessage = 2;
const ticksPerSecond = 100;
const port = 3666;
/** Requests that are on their way at the same time. */
const sendersAtOnce = 4;

type Times = Readonly<Record<string, number>>;

const measured: Record<keyof typeof sides, Times[]> = { own: [], other: [] };
for (let turn = 0; turn < Number(turns); turn += 1) {
  const order = turn % 2 === 0 ? (['own', 'other'] as const) : (['other', 'own'] as const);
  for (const side of order) measured[side].push(await measure(sides[side], Number(messages)));
}
printMachine(`npm run bench -- pipeline ${folder} ${turns} ${messages}`);
const parts = [...new Set([...measured.own, ...measured.other].flatMap(Object.keys))];
printTable(
  ['ms of processor time a message', 'this', 'other', 'ratio'],
  [
    ...parts.map((part) => rowOf(part, (times) => times[part] ?? 0)),
    rowOf('all but the emulator', (times) => sum(times) - (times.emulator ?? 0)),
  ],
);

function rowOf(name: string, timeIn: (times: Times) => number): readonly string[] {
  const [own, other] = [median(measured.own.map(timeIn)), median(measured.other.map(timeIn))];
  return [name, own.toFixed(1), other.toFixed(1), ratio(own / other)];
}

function sum(times: Times): number {
  return Object.values(times).reduce((total, time) => total + time, 0);
}

/** Starts the gateway of a checkout, sends the messages, and waits for all their webhooks. */
async function measure(checkout: string, count: number): Promise<Times> {
  const posts = new Set<string>();
  const receiver = createServer((request, response) => {
    posts.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const webhook_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const child = spawn('npm', ['start', '--silent', '--', '--json', '--port', String(port)], {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const { base_url, client_id, api_key, aws, tables } = await connectionOf(child);
    const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
    const database = documentClient(
      dynamoClient({ endpoint: aws.endpoint, region: aws.region, credentials }),
    );
    const limits = { client_id, endpoint: 'POST /api/v1/sms/send', per_minute: 30_000, per_hour: 100_000 };
    await database.send(new PutCommand({ TableName: tables.limit_overrides, Item: limits }));
    const send = async (many: number): Promise<void> => {
      const before = posts.size;
      const senders = Array.from({ length: sendersAtOnce }, async (_, sender) => {
        for (let i = sender; i < many; i += sendersAtOnce) {
          const to = `+4477009${String(Math.floor(Math.random() * 100_000)).padStart(5, '0')}`;
          const answer = await fetch(`${base_url}/api/v1/sms/send`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${api_key}` },
            body: JSON.stringify({ to, message: 'Your order is on its way.', webhook_url }),
          });
          if (!answer.ok) throw new Error(`${checkout}: ${answer.status} ${await answer.text()}`);
          await answer.arrayBuffer();
        }
      });
      await Promise.all(senders);
      while (posts.size < before + many * perMessage) await pause(100);
      // The workers still record the last webhook.
      await pause(5000);
    };
    await send(Math.ceil(count / 10));
    const before = timesOf(child.pid);
    await send(count);
    const after = timesOf(child.pid);
    return Object.fromEntries(
      Object.entries(after).map(([part, ms]) => [part, (ms - (before[part] ?? 0)) / count]),
    );
  } finally {
    receiver.close().closeAllConnections();
    const ended = new Promise((exited) => child.once('exit', exited));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

/** Reads the line that the gateway prints when it is ready. */
async function connectionOf({ stdout }: ChildProcess): Promise<Connection> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface(stdout)) {
    stdout.resume();
    return JSON.parse(line);
  }
  throw new Error('the gateway ended: run `npm start` in its folder to see why');
}

interface Process {
  readonly parent: number;
  readonly name: string;
  readonly ownMs: number;
  /** The time of its children that have ended. */
  readonly endedMs: number;
}

/** Returns the processor time of a process and all its descendants in milliseconds, by part of the gateway. */
function timesOf(root: number | undefined): Times {
  const processes = new Map<number, Process>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const found = processIn(pid);
    if (found !== undefined) processes.set(Number(pid), found);
  }
  const isInside = (pid: number): boolean => {
    const found = processes.get(pid);
    return pid === root || (found !== undefined && isInside(found.parent));
  };
  const times: Record<string, number> = {};
  const add = (part: string, ms: number) => {
    times[part] = (times[part] ?? 0) + ms;
  };
  for (const [pid, { name, ownMs, endedMs }] of processes) {
    if (!isInside(pid)) continue;
    add(name, ownMs);
    add('functions that ended', endedMs);
  }
  return times;
}

/** Returns undefined if the process has ended meanwhile. */
function processIn(pid: string): Process | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    const ms = (ticks: number) => (ticks * 1000) / ticksPerSecond;
    return { parent, name: partOf(command), ownMs: ms(user + system), endedMs: ms(endedUser + endedSystem) };
  } catch {
    return undefined;
  }
}

function partOf(command: string): string {
  if (command.includes('run_emulator')) return 'emulator';
  const [, name] = /ministack-lambda-messaging-gateway-local-(\w+?)[0-9A-F]{8}/.exec(command) ?? [];
  return name ?? 'front';
}
