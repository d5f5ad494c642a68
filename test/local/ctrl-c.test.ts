/** `npm start` ends all that it started: by Ctrl-C in a real terminal, and by SIGTERM. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from '../../lib/local/connection.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { eventually } from '../support/gateway/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
/** A gateway that a developer runs at the same time has its address here. */
const connectionFile = join(root, '.local', 'gateway.json');

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

let connectionBefore: string | undefined;
beforeAll(async () => {
  connectionBefore = await readFile(connectionFile, 'utf8').catch(() => undefined);
});
afterAll(async () => {
  if (connectionBefore !== undefined) await writeFile(connectionFile, connectionBefore, { mode: 0o600 });
});

/** Waits until the gateway has printed its address. */
async function started(child: ChildProcess & { readonly stdout: Readable }) {
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  const connection = await new Promise<Connection>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      if (line.startsWith('{')) resolve(JSON.parse(line) as Connection);
    });
    void exited.then(([status]) => reject(new Error(`ended with ${status}: ${lines.join('\n')}`)));
  });
  return { connection, exited, lines };
}

/** Makes the emulator start processes of functions. */
async function send({ base_url, api_key }: Connection): Promise<void> {
  const { status } = await fetch(`${base_url}/api/v1/sms/send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: '+447700900123', message: 'Hi' }),
  });
  expect(status).toBe(202);
}

async function nothingAnswers({ base_url, aws }: Connection): Promise<true> {
  return await eventually(async () => {
    const answers = await Promise.all(
      [base_url, aws.endpoint].map((url) =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      ),
    );
    return answers.includes(true) ? undefined : true;
  });
}

it('ends in order at a Ctrl-C that is pressed twice', async () => {
  const words = ['npm', 'start', '--', '--port', String(await freePort()), '--json'];
  const child = spawn('python3', ['-c', terminal, ...words], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { connection, exited, lines } = await started(child);
  await send(connection);
  expect((await stat(connectionFile)).mode & 0o077).toBe(0);
  child.stdin.write('c');
  await pause(200);
  child.stdin.write('c');
  expect((await exited)[0]).toBe(0);
  expect(lines.filter((line) => line.includes('Stopping…'))).toHaveLength(1);
  // Nobody who starts it asks for the sizes of its bundles.
  expect(lines.filter((line) => /\d ?[km]i?b\b/i.test(line))).toEqual([]);
  expect(existsSync(connectionFile)).toBe(false);
  await nothingAnswers(connection);
});

it('ends in order at SIGTERM', async () => {
  const words = ['bin/local.ts', '--port', String(await freePort()), '--json'];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const { connection, exited } = await started(child);
  await send(connection);
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
  await nothingAnswers(connection);
});
