import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../../lib/local/data-folder.ts';

const { signal } = new AbortController();

describe('the port of the emulator that keeps a data folder', () => {
  let folder: string;
  let holder: Server;
  let port: number;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-port-'));
    holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    ({ port } = holder.address() as AddressInfo);
    await writeFile(join(folder, 'emulator-port'), String(port));
  });
  afterEach(async () => {
    holder.close();
    await rm(folder, { recursive: true });
  });
  async function usedBy(gateway: number | undefined, emulator: number | undefined): Promise<void> {
    await writeFile(join(folder, 'gateway-pid'), String(gateway));
    await writeFile(join(folder, 'emulator-pid'), String(emulator));
  }
  const ended = () => spawnSync('true').pid;

  it('is waited for until the emulator of a killed gateway has written its state and ended, even if the port is free', async () => {
    const emulator = spawn('sleep', ['60']);
    await usedBy(ended(), emulator.pid);
    holder.close();
    const chosen = choosePort(folder, signal);
    const first = await Promise.race([chosen, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))]);
    expect(first).toBe('waits');
    emulator.kill();
    expect(await chosen).toBe(port);
  });

  it('is refused at once where a gateway runs on the folder, or something else has the port', async () => {
    const taken = `Port ${port}, with which ${folder} was created, is taken`;
    await expect(choosePort(folder, signal)).rejects.toThrow(taken);
    await usedBy(process.pid, process.pid);
    await expect(choosePort(folder, signal)).rejects.toThrow(taken);
    await usedBy(ended(), ended());
    await expect(choosePort(folder, signal)).rejects.toThrow(taken);
  });

  it('stays the same, and the folder names the process that uses it', async () => {
    holder.close();
    expect(await choosePort(folder, signal)).toBe(port);
    holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    await expect(choosePort(folder, signal)).rejects.toThrow('is a gateway running on that data?');
  });

  it('is given up where the start is canceled', async () => {
    await usedBy(ended(), process.pid);
    const start = new AbortController();
    const chosen = choosePort(folder, start.signal);
    start.abort();
    await expect(chosen).rejects.toThrow('aborted');
  });
});
