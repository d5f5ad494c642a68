/**
 * Finds a Python interpreter that can run the emulator, and installs the emulator's packages once for each version of their
 * list.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartFailure } from './start-failure.ts';

const run = promisify(execFile);

const emulatorRequirements = join(import.meta.dirname, 'requirements.txt');
const interpreters = [
  'python3',
  'python',
  'python3.14',
  'python3.13',
  'python3.12',
  'python3.11',
  'python3.10',
];
const versionCheck = join(import.meta.dirname, 'check_python.py');

/** Returns the output of check_python.py for an interpreter; undefined if the interpreter does not exist. */
export type Probe = (interpreter: string) => Promise<{ version: string; hasVenv: boolean } | undefined>;

/** Runs check_python.py with an interpreter on the path. */
const probeInterpreter: Probe = async (interpreter) => {
  try {
    const { stdout } = await run(interpreter, ['-B', versionCheck], { timeout: 10_000 });
    const [version = '', venv] = stdout.trim().split(/\r?\n/);
    return { version, hasVenv: venv === 'venv' };
  } catch {
    return undefined;
  }
};

/**
 * Returns the first interpreter that is suitable.
 *
 * @throws StartFailure, which says what is missing and how to install it
 */
export async function findPython(ask: Probe = probeInterpreter): Promise<string> {
  const tooOld: string[] = [];
  const withoutVenv: string[] = [];
  for (const interpreter of interpreters) {
    const found = await ask(interpreter);
    if (found === undefined) continue;
    const [major = 0, minor = 0] = found.version.split('.').map(Number);
    if (major < 3 || (major === 3 && minor < 10)) tooOld.push(`${interpreter} is ${found.version}`);
    else if (!found.hasVenv) withoutVenv.push(found.version);
    else return interpreter;
  }
  if (withoutVenv.length > 0) {
    throw new StartFailure(
      `Python ${withoutVenv[0]} lacks its venv module; install it (Debian, Ubuntu: apt install python3-venv).`,
    );
  }
  if (tooOld.length > 0) {
    throw new StartFailure(`Python 3.10 or later is needed, and ${tooOld.join(', ')}; install a newer one.`);
  }
  throw new StartFailure('Python 3.10 or later is needed, but there is no Python on the path; install it.');
}

/**
 * Returns the interpreter of a Python environment with the packages of requirements.txt, which is created if it is missing.
 * The folder's name contains a hash of the list of packages, so a changed list gets a new environment.
 */
export async function pythonWithPackages(
  folder: string,
  progress: (line: string) => void,
  signal: AbortSignal,
  requirementsFile = emulatorRequirements,
): Promise<string> {
  const requirements = await readFile(requirementsFile);
  const name = `python-${createHash('sha256').update(requirements).digest('hex').slice(0, 12)}`;
  const ready = join(folder, name);
  if (existsSync(interpreterOf(ready))) return interpreterOf(ready);

  const python = await findPython();
  progress('Installing the AWS emulator (once)');
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `${name}.${process.pid}`);
  try {
    await run(python, ['-m', 'venv', unfinished], { timeout: 120_000, signal });
    await run(
      interpreterOf(unfinished),
      [
        ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
        // This option refuses a package whose hash differs from the pinned one.
        ...['--require-hashes', '--requirement', requirementsFile],
      ],
      { timeout: 600_000, signal },
    );
    // Another process may have created the environment meanwhile.
    if (!existsSync(ready)) await rename(unfinished, ready);
  } catch (error) {
    throw new StartFailure(`The AWS emulator could not be installed: ${lastLine(error)}`, { cause: error });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return interpreterOf(ready);
}

function interpreterOf(environment: string): string {
  return join(environment, 'bin', 'python');
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr ?? '').trim().split('\n').at(-1) || message;
}
