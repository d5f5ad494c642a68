/** The progress of a restore, in a file for each stack, so that a restore that was interrupted is continued. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RestoreReport } from '../../shared/restore/restore-report.ts';
import type { RestoreDependencies, RestoreProgress } from '../../shared/restore/restore-stage.ts';
import type { KeptStreamEvidence } from '../../shared/restore/stream-evidence.ts';

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
  return { files, report };
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
