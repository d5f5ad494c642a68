/** The progress of a restore, in a file for each stack, so that a restore that was interrupted is continued. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatewayError } from '../../shared/contract/errors.ts';
import type { KeptStreamEvidence } from '../../shared/restore/evidence.ts';
import type { RestoreDependencies } from '../../shared/restore/restore-page.ts';
import type { RestoreProgress } from '../../shared/restore/restore-progress.ts';
import type { RestoreReport } from '../../shared/restore/restore-report.ts';

export function progressFiles(folder: string, stackName: string) {
  const progress = join(folder, `${stackName}.json`);
  const report = join(folder, `${stackName}.report.json`);
  const stream = join(folder, `${stackName}.stream.json`);
  const files: RestoreDependencies['progress'] = {
    read: () => readJson<RestoreProgress>(progress),
    write: (value) => writeJson(progress, value),
    readReport: () => readJson<RestoreReport>(report),
    writeReport: (value) => writeJson(report, value),
    readStream: () => readJson<KeptStreamEvidence>(stream),
    writeStream: (value) => writeJson(stream, value),
  };
  const lock = join(folder, `${stackName}.lock`);

  /** @throws GatewayError where another process restores the same stack with this folder */
  async function alone<Result>(act: () => Promise<Result>): Promise<Result> {
    await mkdir(folder, { recursive: true });
    await takeLock(lock);
    try {
      return await act();
    } finally {
      await rm(lock, { force: true });
    }
  }
  return { files, report, alone };
}

async function takeLock(lock: string): Promise<void> {
  const take = () => writeFile(lock, String(process.pid), { flag: 'wx' });
  try {
    await take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (isRunning(holder))
      throw new GatewayError(
        'concurrent_change',
        `Process ${holder} restores this stage. Wait until it has ended; if it is no such command, delete ${lock}.`,
      );
    // Its process was killed.
    await rm(lock, { force: true });
    await take();
  }
}

function isRunning(pid: number): boolean {
  try {
    // Number 0 would be this process and its group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readJson<Value>(file: string): Promise<Value | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as Value);
}

let writes: Promise<void> = Promise.resolve();

/** One after the other; a process that is killed leaves the file as it was before, or as it is after. */
function writeJson(file: string, value: unknown): Promise<void> {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  writes = writes.then(async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
  });
  return writes;
}
