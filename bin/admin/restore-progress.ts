/**
 * Stores the progress and the report of a restore in files, separately for each stack, so that a killed command can be
 * repeated.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RestoreContext, RestoreProgress, RestoreReport } from '../../shared/restore/restore-stage.ts';

export function progressFiles(folder: string, stackName: string) {
  const file = join(folder, `${stackName}.json`);
  const reportFile = join(folder, `${stackName}.report.json`);
  const progress: RestoreContext['progress'] = {
    async read(): Promise<RestoreProgress | undefined> {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return text === undefined ? undefined : JSON.parse(text);
    },
    write: (value) => (value === undefined ? rm(file, { force: true }) : writeJson(file, value)),
  };
  const writeReport = (report: RestoreReport): Promise<void> => writeJson(reportFile, report);
  return { progress, writeReport, reportFile };
}

/** Replaces a file atomically, so that a killed process leaves no partial file. */
async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
