import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmulator } from '../../../../lib/local/emulator.ts';
import { pythonWithPackages } from '../../../../lib/local/python.ts';
import { eventually } from '../../../support/gateway/gateway.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const never = new AbortController().signal;

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the emulator', () => {
  let python: string;
  let folder: string;
  beforeAll(async () => {
    python = await pythonWithPackages(join(root, '.local'), () => undefined, never);
    folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const options = () => ({
    python,
    logFile: join(folder, 'emulator.log'),
    searchPath: process.env.PATH ?? '',
    signal: never,
  });

  it('is gone after it was stopped', async () => {
    const emulator = await startEmulator(options());
    expect(alive(emulator.pid)).toBe(true);
    await emulator.stop();
    expect(alive(emulator.pid)).toBe(false);
  });

  it('reports when its process ends unexpectedly', async () => {
    const emulator = await startEmulator(options());
    process.kill(emulator.pid, 'SIGKILL');
    await expect(emulator.ended).resolves.toBeUndefined();
    await emulator.stop();
  });

  it('refuses a caller without rights: IAM is enforced', async () => {
    const emulator = await startEmulator(options());
    const response = await fetch(emulator.endpoint, {
      method: 'POST',
      headers: {
        'X-Amz-Target': 'DynamoDB_20120810.ListTables',
        'Content-Type': 'application/x-amz-json-1.0',
      },
      body: '{}',
    });
    const body = await response.text();
    await emulator.stop();
    expect(response.ok).toBe(false);
    expect(body).toContain('MissingAuthenticationToken');
  });

  it('follows the process that started it, even one that was killed', async () => {
    const source = `
      import { startEmulator } from ${JSON.stringify(join(root, 'lib/local/emulator.ts'))};
      const emulator = await startEmulator({ ...${JSON.stringify(options())}, signal: new AbortController().signal });
      console.log(emulator.pid);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await createInterface(parent.stdout)[Symbol.asyncIterator]().next();
    const pid = Number(line.value);
    expect(alive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await eventually(async () => (alive(pid) ? undefined : true));
  });
});
