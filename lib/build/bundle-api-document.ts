/** The answers of the function that describes the API, made once by its own program and put beside it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** @param settings - of every bundle: the program is made of what functions are made of */
export function bundleAnswers(settings: BuildOptions, outdir: string): void {
  const [program] = buildSync({
    ...settings,
    entryPoints: ['lib/build/openapi/print-answers.ts'],
    outdir,
    write: false,
  }).outputFiles;
  if (program === undefined) throw new Error('nothing prints the answers');
  const printed = execFileSync(process.execPath, ['--input-type=commonjs', '-'], {
    input: program.contents,
    encoding: 'utf8',
    maxBuffer: 16_777_216,
    // As little of the machine as may be: the same sources give the same answers.
    env: {},
  });
  const folder = join(outdir, 'answers');
  mkdirSync(folder, { recursive: true });
  for (const [name, answer] of Object.entries(JSON.parse(printed)))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(answer));
}
