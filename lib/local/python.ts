/** A Python that can run the emulator: found, given its packages once, and kept under their names and versions. */
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

/** What a Python installation said of itself; undefined where there is none by that name. */
export type Probe = (interpreter: string) => Promise<{ version: string; hasVenv: boolean } | undefined>;

/** Asks an interpreter on the path. */
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
 * The first interpreter that will do.
 *
 * @throws StartFailure that says what is missing and how to get it.
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
    throw new StartFailure(
      `Python 3.10 or later is needed, and ${tooOld.join(', ')}; install a newer one beside it.`,
    );
  }
  throw new StartFailure('Python 3.10 or later is needed, and there is none on the path; install it.');
}

/**
 * The interpreter of an environment that has the packages of requirements.txt, made if it is missing.
 * Its folder is named by what it holds, so another version of the list gets another environment.
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
        // A file that differs from the one that was pinned is refused.
        ...['--require-hashes', '--requirement', requirementsFile],
      ],
      { timeout: 600_000, signal },
    );
    // Another process may have been faster; its environment is as good.
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
