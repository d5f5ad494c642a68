/** What `npm start -- --data` keeps when it is killed, when its files are damaged, and when nothing can be written. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DemoClients } from '../../lib/local/connection.ts';
import { keptFolders } from '../../lib/local/data-folder.ts';
import type { LocalGateway } from '../../lib/local/gateway.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { eventually } from '../support/gateway/gateway.ts';
import {
  clientsOf,
  emulatorOf,
  generations,
  limitFiles,
  startKept,
} from '../support/gateway/kept-gateway.ts';

let folder: string;
let data: string;
let gateway: LocalGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-kept-'));
  data = join(folder, 'data');
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await rm(folder, { recursive: true, force: true });
});

const start = async () => {
  gateway = await startKept(data, folder);
  return gateway;
};

async function call(path: string, { api_key }: DemoClients, body?: object) {
  const response = await fetch(`${gateway?.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const bulkOf = 40;

async function sendBulk(clients: DemoClients): Promise<string> {
  const recipients = Array.from({ length: bulkOf }, (_, n) => `+4477009${String(n).padStart(5, '0')}`);
  const { batch_id } = await call('/api/v1/sms/bulk', clients, { message: 'Hi', recipients });
  return batch_id;
}

async function allMessages(clients: DemoClients): Promise<readonly { status: string }[]> {
  const messages: { status: string }[] = [];
  let cursor = '';
  do {
    const page = await call(`/api/v1/messages?limit=100${cursor}`, clients);
    messages.push(...page.messages);
    cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
  return messages;
}

describe('a gateway with more than a thousand connections', () => {
  it('goes on saving', async () => {
    const { aws } = await start();
    const { hostname, port } = new URL(aws.endpoint);
    const connections = Array.from({ length: 1100 }, () => connect(Number(port), hostname));
    try {
      await Promise.all(connections.map((connection) => once(connection, 'connect')));
      const last = (await generations(data)).at(-1) ?? 0;
      const newest = await eventually(async () =>
        (await generations(data)).find((generation) => generation > last + 2),
      );
      expect(newest).toBeGreaterThan(last + 2);
    } finally {
      for (const connection of connections) connection.destroy();
    }
  });
});

describe('a gateway that is killed while messages are on their way', () => {
  it('starts with tables, queues and streams of one moment: everything known is delivered and counted, once', async () => {
    const clients = await clientsOf(await start());
    /** The newest generation at the time when each batch was accepted. */
    const accepted = new Map<string, number>();
    const newest = async () => (await generations(data)).at(-1) ?? 0;
    const first = await newest();
    for (let last = first; last < first + 3; last = await newest()) {
      accepted.set(await sendBulk(clients), await newest());
    }
    const killedAt = await newest();
    process.kill(-(gateway?.emulatorPid ?? 0), 'SIGKILL');
    await gateway?.ended;
    await gateway?.stop();

    await start();
    // A generation that was written after the one that was the newest at the time may have begun before.
    const saved = [...accepted].filter(([, generation]) => generation + 2 <= killedAt).map(([id]) => id);
    expect(saved.length).toBeGreaterThan(0);
    await eventually(async () => {
      for (const id of saved) {
        const { counts, accepted: rows } = await call(`/api/v1/sms/status/${id}`, clients);
        expect(rows).toBe(bulkOf);
        if (counts.delivered !== bulkOf) return undefined;
      }
      return true;
    });
    const messages = await eventually(async () => {
      const all = await allMessages(clients);
      return all.every(({ status }) => status === 'delivered') ? all : undefined;
    });
    await eventually(async () => {
      const { usage } = await call('/api/v1/account/usage', clients);
      const counted = (usage as { messages: number; delivered: number }[]).map((row) => [
        row.messages,
        row.delivered,
      ]);
      const [sum, delivered] = [0, 1].map((n) => counted.reduce((total, row) => total + (row[n] ?? 0), 0));
      expect(sum).toBeLessThanOrEqual(messages.length);
      return sum === messages.length && delivered === messages.length ? true : undefined;
    });
  });

  it('starts again if it was killed before it was deployed, or if nothing could be written then', async () => {
    const killed = await startInProcess();
    const emulator = await emulatorOf(data);
    // CloudFormation has begun; what it has made by now differs from run to run, and must not matter.
    await eventually(async () => ((await readdir(join(data, 's3'))).length > 0 ? true : undefined));
    process.kill(-emulator, 'SIGKILL');
    killed.child.kill('SIGKILL');
    await killed.exited;

    const full = await startInProcess();
    await eventually(async () => {
      const pid = await emulatorOf(data);
      if (pid === emulator) return undefined;
      limitFiles(pid, 10_000);
      return true;
    });
    expect(await full.exited).toBe(1);
    expect(full.told()).toContain(`Data cannot be kept in ${data}: [Errno 27] File too large`);
    expect(await generations(data)).toEqual([]);

    const clients = await clientsOf(await start());
    await sendBulk(clients);
    await eventually(async () => {
      const all = await allMessages(clients);
      return all.length === bulkOf && all.every(({ status }) => status === 'delivered') ? true : undefined;
    });
  });
});

/** `npm start`, which ends before it is ready. */
async function startInProcess() {
  const local = join(import.meta.dirname, '..', '..', 'bin', 'local.ts');
  const child = spawn(process.execPath, [local, '--port', String(await freePort()), '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += String(chunk);
  });
  const exited = once(child, 'close').then(([status]) => Number(status));
  return { child, exited, told: () => told };
}

/** The contents of all files by name, but for those that name processes. */
async function contents(where: string): Promise<Record<string, string>> {
  const names = (await readdir(where, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-pid'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const hashes = names.toSorted().map(async (name) => {
    const hash = createHash('sha256')
      .update(await readFile(name))
      .digest('hex');
    return [name, hash] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

describe('a damaged data folder', () => {
  it('is refused with the name of the file, and nothing of it changes; without that file the generation before it is used', async () => {
    const clients = await clientsOf(await start());
    const batch = await sendBulk(clients);
    await eventually(async () => {
      const { counts } = await call(`/api/v1/sms/status/${batch}`, clients);
      return counts.delivered === bulkOf ? true : undefined;
    });
    const before = (await generations(data)).at(-1) ?? 0;
    await eventually(async () => (((await generations(data)).at(-1) ?? 0) >= before + 2 ? true : undefined));
    expect(await gateway?.stop()).toBe(true);
    const { STATE_DIR: state } = keptFolders(data);
    const [previous = 0, newest = 0] = await generations(data);
    const fileOf = (number: number) => join(state, `generation-${String(number).padStart(8, '0')}.json`);
    const size = (await readFile(fileOf(newest))).length;
    const [blob = ''] = await readdir(join(state, 'lambda-blobs'));
    const halves: [file: string, damage: (file: string) => Promise<void>][] = [
      [fileOf(newest), (file) => truncate(file, Math.floor(size / 2))],
      [fileOf(newest), (file) => truncate(file, size - 1)],
      [fileOf(newest), (file) => truncate(file, 0)],
      [
        fileOf(newest),
        async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('+4477009', '+4477008')),
      ],
      [fileOf(newest), (file) => writeFile(file, '{}')],
      [join(state, 'lambda-blobs', blob), (file) => truncate(file, 100)],
      [join(state, 'lambda-blobs', blob), (file) => rm(file)],
      [join(data, 'emulator-port'), (file) => truncate(file, 0)],
      [join(data, 'emulator-port'), (file) => writeFile(file, '80 80')],
      [join(data, 'emulator-port'), (file) => rm(file)],
    ];
    for (const [file, damage] of halves) {
      const kept = join(folder, 'copy');
      await cp(data, kept, { recursive: true });
      await damage(file);
      const damaged = await contents(data);
      await expect(start()).rejects.toThrow(file);
      expect(await contents(data)).toEqual(damaged);
      await rm(data, { recursive: true });
      await cp(kept, data, { recursive: true });
      await rm(kept, { recursive: true });
    }

    await writeFile(fileOf(newest), '');
    await expect(start()).rejects.toThrow(`To go back to the state before it, delete ${fileOf(newest)}`);
    await rm(fileOf(newest));
    expect(await generations(data)).toEqual([previous]);
    await start();
    expect((await call(`/api/v1/sms/status/${batch}`, clients)).counts).toEqual({ delivered: bulkOf });
    expect(await gateway?.stop()).toBe(true);

    await asFilesOfServices(state, fileOf((await generations(data)).at(-1) ?? 0));
    const half = join(state, 'dynamodb.json');
    const whole = await readFile(half);
    await truncate(half, Math.floor(whole.length / 2));
    await expect(start()).rejects.toThrow(`${half} is damaged`);
    await writeFile(half, whole);
    await start();
    expect((await call(`/api/v1/sms/status/${batch}`, clients)).counts).toEqual({ delivered: bulkOf });
    await eventually(async () => ((await readdir(state)).includes('dynamodb.json') ? undefined : true));
  });
});

/** As earlier releases kept them: one file for each service, and no generations. */
async function asFilesOfServices(state: string, newest: string): Promise<void> {
  const lines = (await readFile(newest, 'utf8')).split('\n').slice(0, -1);
  for (const name of await readdir(state)) {
    if (name.startsWith('generation-')) await rm(join(state, name));
  }
  for (const line of lines) {
    const { service, ...entry } = JSON.parse(line);
    await writeFile(join(state, `${service}.json`), JSON.stringify(entry));
  }
}
