import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../../lib/local/emulator.ts';

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
  const ownedBy = (pid: number) => writeFile(join(folder, 'gateway-pid'), String(pid));

  it('is waited for where the gateway was killed and its emulator is still ending', async () => {
    await ownedBy(spawnSync('true').pid);
    const chosen = choosePort(folder, signal);
    const first = await Promise.race([chosen, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))]);
    expect(first).toBe('waits');
    holder.close();
    expect(await chosen).toBe(port);
  });

  it('is refused at once where a gateway runs on the folder, or it is not known who does', async () => {
    const taken = `Port ${port}, which ${folder} was made with, is taken`;
    await expect(choosePort(folder, signal)).rejects.toThrow(taken);
    await ownedBy(process.pid);
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
    await ownedBy(spawnSync('true').pid);
    const start = new AbortController();
    const chosen = choosePort(folder, start.signal);
    start.abort();
    await expect(chosen).rejects.toThrow('aborted');
  });
});
