/**
 * Installs Amazon's runtime client, whose npm package compiles curl and a native addon for the two calls that bring a
 * result back. That takes minutes, so it is done only where it is asked for. Otherwise, and where nothing can compile it (it
 * takes cmake, a C++ compiler and Node's headers), `native-client.mjs` makes these two calls; the loading, the context,
 * the event and all else stay Amazon's.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const compileWithinMs = 300_000;

interface RuntimeClient {
  readonly file: string;
  readonly nodeOptions: readonly string[];
  readonly isWhole: boolean;
}

/** @param isCompiled - whether the native addon is compiled, where that can be done */
export async function installRuntimeClient(localFolder: string, isCompiled: boolean): Promise<RuntimeClient> {
  const lock = await readFile(join(import.meta.dirname, 'client', 'package-lock.json'));
  const kind = isCompiled ? 'native-' : '';
  const name = `lambda-runtime-${kind}${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`;
  const ready = join(localFolder, name);
  if (!existsSync(ready)) {
    const unfinished = `${ready}.${process.pid}`;
    await mkdir(unfinished, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) {
      await cp(join(import.meta.dirname, 'client', file), join(unfinished, file));
    }
    const install = (...options: string[]) =>
      run('npm', ['ci', '--no-audit', '--no-fund', ...options], {
        cwd: unfinished,
        timeout: compileWithinMs,
      });
    const compile = () =>
      install().catch((error: { stderr?: string }) => {
        console.log(
          `The native addon could not be compiled: ${(error.stderr ?? '').trim().split('\n').at(-1)}`,
        );
        return install('--ignore-scripts');
      });
    await (isCompiled ? compile() : install('--ignore-scripts'));
    await rename(unfinished, ready).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  const folder = join(ready, 'node_modules', 'aws-lambda-ric');
  const isWhole = existsSync(join(folder, 'rapid-client.node'));
  const substitute = ['--import', join(import.meta.dirname, 'native-client.mjs')];
  return { file: join(folder, 'index.mjs'), nodeOptions: isWhole ? [] : substitute, isWhole };
}
