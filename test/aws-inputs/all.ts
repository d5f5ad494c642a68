/**
 * Checks every call to AWS of `npm test` and of the tests in the browser with the services' own models, and that every
 * permission of a function was used: `npm run test:release -- aws-inputs` runs these tests first. Where `AWS_CALLS_FILE` names
 * a file, as in `npm run test:release`, it contains the calls of tests that ran before.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pythonWithPackages } from '../../lib/local/python.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');

async function run(command: string, args: readonly string[], environment = {}): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status ?? 1;
}

const python = await pythonWithPackages(
  localFolder,
  () => console.log('Installing the models of AWS services (once)'),
  new AbortController().signal,
  join(import.meta.dirname, 'requirements.txt'),
);
const program = (name: string): string => join(import.meta.dirname, name);
const withoutCache = { PYTHONDONTWRITEBYTECODE: '1' };

let file = process.env.AWS_CALLS_FILE;
let status = await run(python, [program('known_bad.py')], withoutCache);
if (status === 0 && file === undefined) {
  file = join(localFolder, 'aws-calls.jsonl');
  rmSync(file, { force: true });
  status = await run('npm', ['test'], { AWS_CALLS_FILE: file });
  if (status === 0) status = await run('npm', ['test'], { AWS_CALLS_FILE: file, TEST_PART: 'browser' });
}
if (status === 0 && file !== undefined) {
  status = await run(python, [program('validate.py'), resolve(file)], withoutCache);
  status = (await run(process.execPath, [program('unused-grants.ts'), resolve(file)])) || status;
}
process.exitCode = status;
