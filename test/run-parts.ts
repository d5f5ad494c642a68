/** Runs parts of the tests, one alone or all of a suite, and counts what passed and failed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export interface Part {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What it cannot run without; it is skipped where this is not on the path. */
  readonly needs?: string;
  /** Whether Jest counts its tests. Otherwise its last line has the counts, or it is one check. */
  readonly isJest?: boolean;
  /** Whether it records its calls to AWS for the part `aws-inputs`, or is that part. */
  readonly usesCalls?: boolean;
}

type Parts = Readonly<Record<string, Part>>;

interface Counts {
  readonly passed: number;
  readonly failed: number;
}
interface Outcome extends Counts {
  /** A failed test and its message each, where Jest reports them. */
  readonly failures?: readonly string[];
}
type Result = Outcome & { readonly name: string };

/** Parts of a list that run side by side. */
const atOnce = 2;

/** So much is printed again at the end, where it is found without the output of all parts. */
const failuresShown = 10;
const linesOfFailure = 20;

/** @returns the exit status */
export async function runAlone(part: Part, args: readonly string[]): Promise<number> {
  return await statusOf(start(part, args, 'inherit'));
}

/**
 * Runs all parts of these lists, each whatever the others came to, and prints the totals in the last line.
 *
 * @param lists - names of parts, each with its arguments behind it
 * @returns the exit status
 */
export async function runAll(
  parts: Parts,
  lists: readonly (readonly string[])[],
  print: (text: string) => void = console.log,
): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'messaging-gateway-tests-'));
  mkdirSync(join(scratch, 'templates'));
  const results: Result[] = [];
  const resultOf = async (step: string): Promise<Result> => {
    try {
      return await runStep(parts, step, scratch, print);
    } catch (error) {
      print(`== ${step}: FAILED, ${error}`);
      return { name: step, passed: 0, failed: 1 };
    }
  };
  for (const list of lists) {
    const left = [...list];
    const runNext = async (): Promise<void> => {
      for (let step = left.shift(); step !== undefined; step = left.shift())
        results.push(await resultOf(step));
    };
    await Promise.all(Array.from({ length: atOnce }, runNext));
  }
  rmSync(scratch, { recursive: true, force: true });

  const failures = results.filter(({ failed }) => failed > 0);
  if (failures.length > 0) print(`\nfailed: ${failures.map(({ name }) => name).join(', ')}`);
  for (const failure of failures.flatMap((result) => result.failures ?? []).slice(0, failuresShown))
    print(failure);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Runs a part, and prints what it wrote only when it has ended, as another one may run beside it. */
async function runStep(
  parts: Parts,
  step: string,
  scratch: string,
  print: (text: string) => void,
): Promise<Result> {
  const [name = '', ...args] = step.split(' ');
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part ${name}`);
  if (part.needs !== undefined && spawnSync('which', [part.needs]).status !== 0) {
    print(`== ${name}: skipped, there is no ${part.needs}`);
    return { name, passed: 0, failed: 0 };
  }
  print(`== ${name}: started`);
  const started = performance.now();
  const report = join(scratch, `${name}.json`);
  const reported = part.isJest === true ? [...args, '--json', `--outputFile=${report}`] : args;
  const shared = {
    // The part `templates` reads what `npm test` synthesized.
    TEMPLATES_FOLDER: join(scratch, 'templates'),
    // The part `aws-inputs` judges the calls that the others recorded.
    ...(part.usesCalls === true ? { AWS_CALLS_FILE: join(scratch, 'aws-calls.jsonl') } : {}),
  };
  const child = start({ ...part, environment: { ...part.environment, ...shared } }, reported, 'pipe');
  const written: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (some: Buffer) => written.push(some));
  const status = await statusOf(child);
  const output = Buffer.concat(written).toString().trimEnd();
  const counts: Outcome | undefined = part.isJest === true ? outcomeOfJest(report) : countsIn(output, status);
  const isFailed = status !== 0 || counts === undefined || counts.failed > 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  print(`\n== ${name}\n${output}\n== ${name}: ${isFailed ? 'FAILED' : 'passed'} in ${seconds} s`);
  // What came to no end has failed, whatever it counted.
  const failed = isFailed ? Math.max(1, counts?.failed ?? 0) : 0;
  return { name, passed: counts?.passed ?? 0, failed, failures: counts?.failures ?? [] };
}

function start(
  { command, environment }: Part,
  args: readonly string[],
  stdio: 'inherit' | 'pipe',
): ChildProcess {
  const [executable = '', ...rest] = command;
  return spawn(executable, [...rest, ...args], {
    stdio: stdio === 'pipe' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...environment },
  });
}

async function statusOf(child: ChildProcess): Promise<number> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

interface JestReport {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numRuntimeErrorTestSuites?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    /** What Jest prints for the whole file. */
    readonly message: string;
  }[];
}

/** @returns undefined if Jest came to no end */
function outcomeOfJest(report: string): Outcome | undefined {
  if (!existsSync(report)) return undefined;
  const {
    numPassedTests: passed = 0,
    numFailedTests = 1,
    numRuntimeErrorTestSuites = 0,
    testResults = [],
  } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message }) => `${relative('.', name)}\n${firstLinesOf(message)}`);
  return { passed, failed: numFailedTests + numRuntimeErrorTestSuites, failures };
}

function firstLinesOf(message: string): string {
  return stripVTControlCharacters(message).trim().split('\n').slice(0, linesOfFailure).join('\n');
}

/** The last counts that a program wrote; one that counts nothing is one check. */
function countsIn(output: string, status: number): Counts {
  const [found] = [...output.matchAll(/^(\d+) passed, (\d+) failed\b/gm)].slice(-1);
  if (found === undefined) return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  return { passed: Number(found[1]), failed: Number(found[2]) };
}
