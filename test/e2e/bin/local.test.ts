import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'local.ts');

async function start(options: string[], environment: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, [program, ...options], { env: environment });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { stdout, stderr, status };
}

describe('npm start', () => {
  it('ends with one line that says what to do when its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { stdout, stderr, status } = await start(['--port', String(port), '--json']);
    server.close();
    expect({ stdout, stderr, status }).toEqual({
      stdout: '',
      stderr: `Port ${port} is already used; choose another with --port.\n`,
      status: 1,
    });
  });

  it('refuses a time scale that is no whole number', async () => {
    const { stderr, status } = await start(['--time-scale', '0.5']);
    expect(stderr).toContain('It must be a whole number from 1 to 100000.');
    expect(status).toBe(1);
  });
});
