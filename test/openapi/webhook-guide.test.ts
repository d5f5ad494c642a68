import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '../conformance/api.ts';
import { eventually } from '../support/gateway.ts';
import { type OwnClient, ownClient } from '../support/own-client.ts';

const guide = join(import.meta.dirname, '..', '..', 'shared', 'openapi', 'guide');
const built = mkdtempSync(join(tmpdir(), 'webhook-guide-'));

interface Language {
  readonly file: string;
  readonly tool: string;
  readonly version: readonly string[];
  /** Makes the file ready to run, and says how. */
  readonly command: () => readonly [string, ...string[]];
}

const languages: readonly Language[] = [
  {
    file: 'verify.mjs',
    tool: process.execPath,
    version: ['--version'],
    command: () => [process.execPath, join(guide, 'verify.mjs')],
  },
  {
    file: 'verify.py',
    tool: 'python3',
    version: ['--version'],
    command: () => ['python3', join(guide, 'verify.py')],
  },
  {
    file: 'verify.go',
    tool: 'go',
    version: ['version'],
    command: () => {
      const program = join(built, 'receiver');
      execFileSync('go', ['build', '-o', program, join(guide, 'verify.go')]);
      return [program];
    },
  },
];

let client: OwnClient;
let api: Api;
const receivers: ChildProcess[] = [];

beforeAll(async () => {
  client = await ownClient('Webhook guide');
  api = await Api.at(client);
});
afterAll(() => {
  for (const receiver of receivers) receiver.kill();
  rmSync(built, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function start(
  command: readonly [string, ...string[]],
): Promise<{ port: number; lines: () => string[] }> {
  const port = await freePort();
  const [program, ...options] = command;
  let written = '';
  const child = spawn(program, options, {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: client.webhookSecret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  receivers.push(child);
  child.stdout?.on('data', (chunk: Buffer) => {
    written += chunk.toString('utf8');
  });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return connected || undefined;
  });
  return { port, lines: () => written.split('\n').slice(0, -1) };
}

/** Node and Python are what the gateway itself needs; Go is run where a machine has it. */
const runnable = languages.filter(
  ({ tool, version }) => tool !== 'go' || spawnSync(tool, [...version]).status === 0,
);

describe.each(runnable)('the receiver of the guide in $file', ({ command }) => {
  it('takes real notifications, each once, and refuses what was altered', async () => {
    const { port, lines } = await start(command());
    const webhook_url = `http://127.0.0.1:${port}/`;
    const body = { to: '+447700900123', message: 'Hello', webhook_url };
    const { json } = await api.call('POST', '/api/v1/sms/send', { body });
    await eventually(async () => (lines().length >= 2 ? true : undefined));
    expect(
      lines()
        .map((line) => line.split(' ').slice(1).join(' '))
        .toSorted(),
    ).toEqual([
      `sms.delivered ${String(json.message_id)} delivered`,
      `sms.sent ${String(json.message_id)} sent`,
    ]);
    const forged = await fetch(webhook_url, {
      method: 'POST',
      headers: {
        'X-Webhook-Signature': '0'.repeat(64),
        'webhook-id': 'whd_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AAAA',
      },
      body: '{"event":"sms.sent","data":{}}',
    });
    expect(forged.status).toBe(401);
    expect(lines()).toHaveLength(2);
  }, 120_000);
});

it.each(languages)('$file stands in the guide as it is', async ({ file }) => {
  const page = await (await fetch(`${client.baseUrl}/docs/webhooks`)).text();
  const shown = page.replaceAll(/&#(\d+);/g, (_, mark: string) => String.fromCharCode(Number(mark)));
  expect(shown).toContain(readFileSync(join(guide, file), 'utf8').trimEnd());
});
