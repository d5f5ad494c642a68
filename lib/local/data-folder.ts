/**
 * The folder in which `--data` keeps the gateway's state over a restart: which gateway uses it, and which port its
 * emulator has.
 */
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from './start-failure.ts';

/** The emulator writes its state when it stops, which takes a while on a busy machine. */
export const keepWithinMs = 90_000;

/** Returns the emulator's variables for the folders in which it writes. */
export function keptFolders(dataFolder: string) {
  return { STATE_DIR: join(dataFolder, 'state'), S3_DATA_DIR: join(dataFolder, 's3') };
}

/**
 * The state has secrets and messages, so only the owner may read it. The mode of an existing folder is not changed.
 *
 * @throws StartFailure also where folders of these names are no gateway's: the emulator deletes what a start left that was
 * killed.
 */
export async function makePrivate(dataFolder: string): Promise<void> {
  const isOurs = (await textOf(portFile(dataFolder))) !== undefined;
  await orStartFailure(dataFolder, async () => {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    for (const name of Object.values(keptFolders(dataFolder))) {
      await mkdir(name, { recursive: true });
      if (!isOurs && (await readdir(name)).length > 0) {
        throw new StartFailure(
          `${name} has files, but ${portFile(dataFolder)} is missing: restore it, or choose another folder.`,
        );
      }
      await chmod(name, 0o700);
    }
  });
}

/**
 * Stored queue URLs contain the port, so a data folder always uses the same one. The emulator of a killed gateway finishes
 * what runs, frees its port, and writes its state last: only when it has ended may another one read that.
 *
 * @throws StartFailure where a gateway runs on the folder, or something else has the port.
 */
export async function choosePort(dataFolder: string | undefined, signal: AbortSignal): Promise<number> {
  if (dataFolder === undefined) return freePort();
  const [kept, gateway, emulator] = await Promise.all([
    keptPort(dataFolder),
    numberIn(join(dataFolder, 'gateway-pid')),
    numberIn(pidFile(dataFolder)),
  ]);
  const deadline = Date.now() + keepWithinMs;
  while (!isRunning(gateway) && isRunning(emulator) && Date.now() < deadline) {
    await pause(100, undefined, { signal });
  }
  const port = await freePort(kept).catch(() => {
    throw new StartFailure(
      `Port ${kept}, with which ${dataFolder} was created, is taken; is a gateway running on that data?`,
    );
  });
  if (kept === undefined) await writeWhole(portFile(dataFolder), String(port));
  await writeWhole(join(dataFolder, 'gateway-pid'), String(process.pid));
  return port;
}

/**
 * Records the emulator's process until the gateway has stopped it: the system may give its number to another process
 * later.
 */
export async function nameEmulator(dataFolder: string, pid: number): Promise<void> {
  await writeWhole(pidFile(dataFolder), String(pid));
}

export async function forgetEmulator(dataFolder: string): Promise<void> {
  await rm(pidFile(dataFolder), { force: true });
}

/** Writes the file completely or not at all. @throws StartFailure */
export async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await orStartFailure(file, async () => {
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, file);
  });
}

async function orStartFailure(where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`Data cannot be kept in ${where}: ${reason}.`, { cause: error });
  }
}

/** @throws StartFailure if the port is taken: with another port, the stored queue URLs would be invalid. */
async function keptPort(dataFolder: string): Promise<number | undefined> {
  const text = await textOf(portFile(dataFolder));
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new StartFailure(
    `${portFile(dataFolder)} is damaged: it must be the number of a port. Nothing was changed. Restore it, or start with another folder.`,
  );
}

function portFile(dataFolder: string): string {
  return join(dataFolder, 'emulator-port');
}

function pidFile(dataFolder: string): string {
  return join(dataFolder, 'emulator-pid');
}

/** Returns undefined if there is no such file. */
async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Returns 0 if there is no such file. */
async function numberIn(file: string): Promise<number> {
  return Number(await textOf(file)) || 0;
}

export function isRunning(pid: number): boolean {
  try {
    // Number 0 would be this process and its group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
