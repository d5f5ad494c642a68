/** Generates the responses of the describe-api function at build time, and adds them to its bundle. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** @param settings - the bundler settings of functions */
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
    // An empty environment, so that the same sources give the same responses.
    env: {},
  });
  const folder = join(outdir, 'answers');
  mkdirSync(folder, { recursive: true });
  for (const [name, answer] of Object.entries(JSON.parse(printed)))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(answer));
}
