/** The tools that the steps fetch into `.local/clients`, and the folders in which they work. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');
const folder = join(root, '.local/clients');
/** Contains the tools of npm. */
export const npmFolder = join(folder, 'npm');
/** Contains what a run makes; emptied before it. */
export const made = join(folder, 'made');
export const document = join(made, 'openapi.json');

const npmTools = ['@redocly/cli@2.77.0', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];

const compile = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'].concat([
  '--lib',
  'es2022,dom,dom.iterable',
]);

export const at = (cwd: string) => ({ cwd, maxBuffer: 64 * 1024 * 1024, timeout: 900_000 });

export const npmTool = (name: string, ...args: string[]) =>
  run(join(npmFolder, 'node_modules/.bin', name), args, at(npmFolder));

/** Runs a tool of the TypeScript client, which its lock file pins. */
export const typescriptTool = (name: string, ...args: string[]) =>
  run(join(root, 'clients/typescript/node_modules/.bin', name), args, at(made));

/** The TypeScript compiler, strict; it checks the declarations of packages, too. */
export const compiles = (file: string) => typescriptTool('tsc', ...compile, file);

export async function fetchTools(): Promise<void> {
  await mkdir(npmFolder, { recursive: true });
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await writeFile(join(npmFolder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...npmTools], at(npmFolder));
}
