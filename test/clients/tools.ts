/** Other people's tools, fetched into `.local/clients`, and the folders in which they work. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWithPackages } from '../../lib/local/python.ts';

export const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');
export const programs = join(import.meta.dirname, 'programs');
const folder = join(root, '.local/clients');
/** Has the tools of npm. */
export const npmFolder = join(folder, 'npm');
/** For whatever a run makes; emptied before it. */
export const made = join(folder, 'made');
export const document = join(made, 'openapi.json');

const npmTools = [
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  '@stoplight/prism-cli@5.14.2',
  '@hey-api/openapi-ts@0.95.0',
  'orval@7.13.2',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'oauth4webapi@3.8.8',
  'openid-client@6.8.9',
  'typescript@5.9.3',
  '@types/node@24.19.2',
  'axios@1.13.2',
];

const compile = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext'].concat([
  '--moduleResolution',
  'bundler',
  '--lib',
  'es2022,dom,dom.iterable',
  '--types',
  'node',
]);

export const at = (cwd: string) => ({ cwd, maxBuffer: 64 * 1024 * 1024, timeout: 900_000 });

export const npmTool = (name: string, ...args: string[]) =>
  run(join(npmFolder, 'node_modules/.bin', name), args, at(npmFolder));

/** The TypeScript compiler, strict; the declarations of packages too where `withLibraries`. */
export const compiles = (file: string, { withLibraries = false } = {}) =>
  npmTool('tsc', ...compile, ...(withLibraries ? [] : ['--skipLibCheck']), file);

export async function fetchTools(): Promise<void> {
  await mkdir(npmFolder, { recursive: true });
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await writeFile(join(npmFolder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...npmTools], at(npmFolder));
}

/** An interpreter with these packages. */
export const pythonWith = (requirements: string): Promise<string> =>
  pythonWithPackages(folder, () => undefined, new AbortController().signal, requirements);
