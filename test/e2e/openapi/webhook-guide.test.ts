import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { textOf } from '../../../lib/build/docs/guides.ts';
import { withNewWebhookSecret } from '../../../shared/client/client-admin.ts';
import {
  secretActiveAfterSeconds,
  type WebhookSecret,
} from '../../../shared/client/webhook-secrets.dynamo.ts';
import { signatureHeaders } from '../../../shared/webhook/deliver/sign-and-post.ts';
import { Api } from '../../check/api.ts';
import { served } from '../../support/docs/served.ts';
import { freePort } from '../../support/gateway/free-port.ts';
import { eventually } from '../../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../../support/http/client.ts';

const guide = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides');
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
      // Once for all tests: Go links anew each time.
      if (!existsSync(program)) execFileSync('go', ['build', '-o', program, join(guide, 'verify.go')]);
      return [program];
    },
  },
];

let client: TestClient;
let api: Api;
const webhookEndpoints: ChildProcess[] = [];

beforeAll(async () => {
  client = await newClient({ name: 'Webhook guide', limits: 'default' });
  api = await Api.at(client);
});
afterAll(() => {
  for (const webhookEndpoint of webhookEndpoints) webhookEndpoint.kill();
  rmSync(built, { recursive: true });
});

async function start(
  command: readonly [string, ...string[]],
  ...secrets: readonly string[]
): Promise<{ port: number; lines: () => string[] }> {
  const port = await freePort();
  const [program, ...options] = command;
  let written = '';
  const child = spawn(program, options, {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secrets.join(' ') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  webhookEndpoints.push(child);
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

describe.each(runnable)('the endpoint of the guide in $file', ({ command }) => {
  it('takes real notifications, each once, and refuses what was altered', async () => {
    const { port, lines } = await start(command(), client.webhookSecret);
    const webhook_url = `http://127.0.0.1:${port}/`;
    const message = { to: '+447700900123', message: 'Hello', webhook_url };
    const { body } = await api.call('POST', '/api/v1/sms/send', { body: message });
    await eventually(async () => (lines().length >= 2 ? true : undefined));
    expect(
      lines()
        .map((line) => line.split(' ').slice(1).join(' '))
        .toSorted(),
    ).toEqual([
      `sms.delivered ${String(body.message_id)} delivered`,
      `sms.sent ${String(body.message_id)} sent`,
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
  });
});

describe.each(runnable)(
  'events without a status or a message, for the endpoint of the guide in $file',
  ({ command }) => {
    it('are taken, and processed once', async () => {
      const { port, lines } = await start(command(), newSecret);
      const fields: Readonly<Record<string, object>> = {
        'recipient.opted_out': { message_id: 'msg_1', recipient: '+447700900123', channel: 'sms' },
        'endpoint.disabled': { endpoint_id: 'whe_1' },
        'event.of_a_later_release': {},
      };
      for (const [event, data] of Object.entries(fields)) {
        const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
        for (const _repeat of [1, 2]) {
          const headers = signatureHeaders(`whd_${event}`, body, rotatedSecrets(-dayMs - 1000), new Date());
          const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
          expect([event, status]).toEqual([event, 200]);
        }
      }
      await eventually(async () => (lines().length >= 3 ? true : undefined));
      expect(lines()).toEqual([
        'whd_recipient.opted_out recipient.opted_out msg_1',
        'whd_endpoint.disabled endpoint.disabled',
        'whd_event.of_a_later_release event.of_a_later_release',
      ]);
    });
  },
);

const dayMs = 86_400_000;
const oldSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

/** The secrets of a client as the row has them when the new one becomes active `activeInMs` from now. */
function rotatedSecrets(activeInMs: number): readonly WebhookSecret[] {
  const createdAt = new Date(Date.now() + activeInMs - secretActiveAfterSeconds * 1000);
  const first = withNewWebhookSecret(oldSecret, [], new Date(createdAt.getTime() - 10 * dayMs));
  return withNewWebhookSecret(newSecret, first, createdAt);
}

/** Whether the endpoint accepts a delivery that our signer signs now. */
async function isTaken(port: number, secrets: readonly WebhookSecret[], without?: string): Promise<boolean> {
  const body = '{"event":"sms.sent","data":{"message_id":"msg_1","status":"sent","reference":"Grüße 👋"}}';
  const headers = signatureHeaders(`whd_${randomUUID()}`, body, secrets, new Date());
  if (without !== undefined) delete headers[without];
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  return status === 200;
}

describe.each(runnable)('a rotation of the secret, for the endpoint of the guide in $file', ({ command }) => {
  it('breaks nothing with both secrets, or with each one while it is valid', async () => {
    const [withOld, withNew, withBoth] = [
      await start(command(), oldSecret),
      await start(command(), newSecret),
      await start(command(), oldSecret, newSecret),
    ];
    const stages = [
      { name: 'before', secrets: () => rotatedSecrets(0).slice(-1), old: true, new: false },
      { name: 'created, not active yet', secrets: () => rotatedSecrets(30_000), old: true, new: false },
      { name: 'active', secrets: () => rotatedSecrets(-1000), old: true, new: true },
      { name: 'about to end', secrets: () => rotatedSecrets(-dayMs + 60_000), old: true, new: true },
      { name: 'after 24 h', secrets: () => rotatedSecrets(-dayMs - 1000), old: false, new: true },
    ];
    for (const stage of stages) {
      const secrets = stage.secrets();
      const taken = {
        name: stage.name,
        old: await isTaken(withOld.port, secrets),
        new: await isTaken(withNew.port, secrets),
        both: await isTaken(withBoth.port, secrets),
      };
      expect(taken).toEqual({ name: stage.name, old: stage.old, new: stage.new, both: true });
      // The simple signature adds nothing, and is not enough.
      expect(await isTaken(withBoth.port, secrets, 'x-webhook-signature')).toBe(true);
      expect(await isTaken(withBoth.port, secrets, 'webhook-signature')).toBe(false);
    }
  });

  it('and signatures by the library of Standard Webhooks: taken as they are, refused when old or for another body', async () => {
    const { port, lines } = await start(command(), newSecret);
    const body = '{"event":"sms.sent","data":{"message_id":"msg_1","status":"sent"}}';
    const send = async (signedAt: Date, sent = body) => {
      const headers = {
        'webhook-id': 'whd_1',
        'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
        'webhook-signature': `v1a,other ${new Webhook(newSecret).sign('whd_1', signedAt, body)}`,
      };
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent });
      return status;
    };
    expect(await send(new Date())).toBe(200);
    expect(await send(new Date(Date.now() - 400_000))).toBe(401);
    expect(await send(new Date(), `${body} `)).toBe(401);
    await eventually(async () => (lines().length >= 1 ? true : undefined));
    expect(lines()).toHaveLength(1);
  });

  it('and an old body is not taken again under another id or time, nor without one', async () => {
    const { port, lines } = await start(command(), newSecret);
    const body = '{"event":"sms.sent","data":{"message_id":"msg_1","status":"sent"}}';
    const secrets = rotatedSecrets(-dayMs - 1000);
    const signed = signatureHeaders('whd_old', body, secrets, new Date());
    const post = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    expect(await post(signed)).toBe(200);
    const now = String(Math.floor(Date.now() / 1000));
    const simple = { 'x-webhook-signature': signed['x-webhook-signature'] ?? '' };
    const replays: Record<string, string>[] = [
      simple,
      { ...signed, 'webhook-id': 'whd_new' },
      { ...signed, 'webhook-timestamp': String(Number(signed['webhook-timestamp']) - 1) },
      { ...simple, 'webhook-id': 'whd_new', 'webhook-timestamp': now },
      { ...simple, 'webhook-id': 'whd_new', 'webhook-timestamp': now, 'webhook-signature': 'v1,' },
      { ...signatureHeaders('whd_old', body, secrets, new Date(Date.now() - 400_000)) },
      { ...signatureHeaders('whd_old', body, secrets, new Date(Date.now() + 400_000)) },
      { ...signatureHeaders('', body, secrets, new Date()) },
    ];
    for (const replay of replays) expect([replay, await post(replay)]).toEqual([replay, 401]);
    // A genuine repeat is acknowledged, and processed once.
    expect(await post(signatureHeaders('whd_old', body, secrets, new Date()))).toBe(200);
    await eventually(async () => (lines().length >= 1 ? true : undefined));
    expect(lines()).toHaveLength(1);
  });

  it('and a length that no body has ends the request, and keeps no other waiting', async () => {
    const { port } = await start(command(), newSecret);
    const answered = async (length: string, body = '') => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${length}\r\n${body}`);
      // `once` of events would fail where the endpoint resets the connection.
      const bytes = await new Promise((resolve) => {
        socket.once('data', resolve);
        socket.once('close', resolve);
      });
      socket.destroy();
      return Buffer.isBuffer(bytes) ? Number(/^HTTP\/1\.\d (\d+)/.exec(bytes.toString())?.[1]) : 'closed';
    };
    const refused = [400, 401, 413, 'closed'];
    for (const length of ['-1', '+5', '1e9', '99999999999999999999', '5, 6', 'x']) {
      expect(refused).toContain(await answered(`Content-Length: ${length}\r\n`, 'hello'));
    }
    expect(refused).toContain(await answered(''));
    expect(refused).toContain(await answered(`Content-Length: ${4 << 20}\r\n`, 'x'.repeat(4 << 20)));
    expect(refused).toContain(await answered('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'));
    // It sends less than it announced, and keeps the connection open.
    const slow = connect(port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
    expect(await isTaken(port, rotatedSecrets(-dayMs - 1000))).toBe(true);
    slow.destroy();
  });

  it('and headers that no signer makes are refused without a crash', async () => {
    const { port } = await start(command(), newSecret);
    const wrong = ['9'.repeat(5000), '²', '-1', 'NaN', ''];
    for (const timestamp of wrong) {
      const headers = new Headers({
        'webhook-id': 'whd_1',
        'webhook-signature': 'v1,é',
        'x-webhook-signature': 'é',
      });
      headers.set('webhook-timestamp', timestamp);
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' });
      expect([timestamp.slice(0, 10), status]).toEqual([timestamp.slice(0, 10), 401]);
    }
  });
});

it.each(languages)('the guide contains $file unchanged', async ({ file }) => {
  const source = readFileSync(join(guide, file), 'utf8');
  const page = await served(`${client.baseUrl}/docs/webhooks`);
  expect(textOf(page.body)).toContain(source.trim());
  expect((await served(`${client.baseUrl}/docs/${file}`)).body).toBe(source);
});
