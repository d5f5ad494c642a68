/** What a restore keeps between its runs, in memory and as text, as its file has it. */
import type { RestoreDependencies } from '../../../shared/restore/restore-page.ts';

export function keptProgress(): RestoreDependencies['progress'] {
  const kept: Record<string, string> = {};
  const read = (name: string) => async () => kept[name] && JSON.parse(kept[name]);
  const write = (name: string) => async (value: object) => {
    kept[name] = JSON.stringify(value);
  };
  return {
    read: read('progress'),
    write: write('progress'),
    readReport: read('report'),
    writeReport: write('report'),
    readStream: read('stream'),
    writeStream: write('stream'),
  };
}
