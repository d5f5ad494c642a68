/** Ctrl-C in a real terminal: `npm start -- --data` stops in order each time, and keeps what it accepted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from '../../lib/local/connection.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { emulatorOf, generations, limitFiles } from '../support/gateway/kept-gateway.ts';

const root = join(import.meta.dirname, '..', '..');
/** A gateway that a developer runs at the same time has its address here. */
const connectionFile = join(root, '.local', 'gateway.json');
const stops = 2;
const messagesEach = 8;

/** Runs a command in its own terminal; each byte of its input is a Ctrl-C typed there. */
const terminal = `
import os, pty, select, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    ready, _, _ = select.select([fd, 0], [], [])
    if 0 in ready and os.read(0, 1):
        os.write(fd, b'\\x03')
    if fd in ready:
        try:
            output = os.read(fd, 65536)
        except OSError:
            break
        if not output:
            break
        os.write(1, output)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

let folder: string;
let connectionBefore: string | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-ctrl-c-'));
  connectionBefore = await readFile(connectionFile, 'utf8').catch(() => undefined);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  if (connectionBefore !== undefined) await writeFile(connectionFile, connectionBefore, { mode: 0o600 });
});

async function startInTerminal(port: number, data = join(folder, 'data')) {
  const words = ['npm', 'start', '--', '--port', String(port), '--data', data, '--json'];
  const child = spawn('python3', ['-c', terminal, ...words], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number]>;
  const lines: string[] = [];
  const connection = await new Promise<Connection>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      if (line.startsWith('{')) resolve(JSON.parse(line) as Connection);
    });
    void exited.then(([status]) => reject(new Error(`ended with ${status}: ${lines.join('\n')}`)));
  });
  return { connection, exited, lines, ctrlC: () => child.stdin.write('c') };
}

async function call({ base_url, api_key }: Connection, method: string, path: string, body?: object) {
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function filesOf(where: string): Promise<string[]> {
  const entries = await readdir(where, { recursive: true });
  return entries.map((name) => join(where, name));
}

it('ends in order at each Ctrl-C, pressed twice, and delivers every accepted message after the restart', async () => {
  const port = await freePort();
  const accepted: string[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    const { connection, exited, lines, ctrlC } = await startInTerminal(port);
    const responses = await Promise.all(
      Array.from({ length: messagesEach }, () =>
        call(connection, 'POST', '/api/v1/sms/send', { to: '+447700900123', message: 'Hi' }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from(responses, () => 202));
    accepted.push(...responses.map(({ body }) => String(body.message_id)));
    ctrlC();
    await pause(200);
    ctrlC();
    expect((await exited)[0]).toBe(0);
    expect(lines.filter((line) => line.includes('Stopping…'))).toHaveLength(1);
    // Nobody who starts it asks for the sizes of its bundles.
    expect(lines.filter((line) => /\d ?[km]i?b\b/i.test(line))).toEqual([]);
  }

  const { connection, exited, ctrlC } = await startInTerminal(port);
  const undelivered = new Set(accepted);
  try {
    await eventually(
      async () => {
        for (const id of undelivered) {
          const { body } = await call(connection, 'GET', `/api/v1/sms/status/${id}`);
          if (body.status === 'delivered') undelivered.delete(id);
        }
        return undelivered.size === 0 ? true : undefined;
      },
      { everyMilliseconds: 500 },
    );
    expect((await stat(connectionFile)).mode & 0o077).toBe(0);
  } finally {
    ctrlC();
    await exited;
  }
  expect(existsSync(connectionFile)).toBe(false);

  const kept = [join(folder, 'data'), ...(await filesOf(join(folder, 'data')))];
  expect(kept.length).toBeGreaterThan(10);
  const readable = await Promise.all(
    kept.map(async (file) => (((await stat(file)).mode & 0o077) === 0 ? [] : [file])),
  );
  expect(readable.flat()).toEqual([]);
});

it('says at once, and at the end by its exit status too, that nothing can be written any more', async () => {
  const data = join(folder, 'full');
  const { exited, lines, ctrlC } = await startInTerminal(await freePort(), data);
  const told = (text: string) =>
    eventually(async () => (lines.some((line) => line.includes(text)) ? true : undefined));
  const emulator = await emulatorOf(data);
  limitFiles(emulator, 1000);
  await told(`Data cannot be kept in ${data}: [Errno 27] File too large`);
  const kept = await generations(data);
  limitFiles(emulator, -1);
  await told(`Data is kept in ${data} again.`);
  limitFiles(emulator, 1000);
  ctrlC();
  expect((await exited)[0]).toBe(1);
  await told(`The last changes could not be kept in ${data}: [Errno 27] File too large`);
  expect((await generations(data)).at(-1)).toBeGreaterThan(kept.at(-1) ?? 0);
});
