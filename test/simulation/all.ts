/**
 * Runs the deployed stage in a simulated world, seed after seed, and judges each run by the promises of the contract.
 * `npm run test:simulate -- [--seed N [--runs N]] [--minutes N] [--only NAME]`: one seed, or so many from it on, or fresh ones
 * for so many minutes; NAME is what the runs are about (`limits`). Prints the shortest trace of a violation; exits with 1 if there was one.
 * `--messages N` sends so many in one run.
 * `--whole` prints the trace of the whole run instead; `--twice` runs each seed a second time, and fails if its trace differs.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { unusedOperations } from '../support/simulation/actors/actors.ts';
import { type Theme, themes } from '../support/simulation/actors/themes.ts';
import { loadedCode } from '../support/simulation/code.ts';
import { largePlanOf, planOf } from '../support/simulation/plan.ts';
import { type Code, type Run, run } from '../support/simulation/run.ts';
import { shrunk } from '../support/simulation/shrink.ts';
import { traceOf } from '../support/simulation/trace.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    messages: { type: 'string' },
    only: { type: 'string' },
    whole: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
  },
});
const theme = themes.find((name) => name === values.only);
if (values.only !== undefined && theme === undefined) {
  console.error(`--only ${values.only}: there are ${themes.join(', ')}`);
  process.exit(2);
}
const unused = unusedOperations();
if (unused.length > 0) {
  console.error(`no actor uses ${unused.join(', ')}: see test/support/simulation/actors/actors.ts`);
  process.exit(1);
}
const shrinkBounds = { runs: 150, ms: 120_000 };
const violationsMax = 5;
/** A process has this many fresh seeds: V8 does not free all that the functions of a run have loaded. */
const seedsPerProcess = 10;

process.exitCode =
  values.seed === undefined && values.messages === undefined
    ? freshSeeds(Number(values.minutes) * 60_000)
    : await seedsFrom(Number(values.seed ?? 1), Number(values.runs));

/** @returns the exit status */
function freshSeeds(forMs: number): number {
  const endsAt = performance.now() + forMs;
  let seed = Math.floor(Math.random() * 2 ** 31);
  let passed = 0;
  let failed = 0;
  do {
    const options = ['--seed', String(seed), '--runs', String(seedsPerProcess)];
    const only = theme === undefined ? [] : ['--only', theme];
    const { stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, ...options, ...only],
      { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8', maxBuffer: Infinity },
    );
    const [counts, some = '0', others = '1'] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [''];
    process.stdout.write(stdout.replace(counts, '').trimEnd());
    console.log();
    passed += Number(some);
    failed += Number(others);
    seed += seedsPerProcess;
  } while (failed < violationsMax && performance.now() < endsAt);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

/** @returns the exit status */
async function seedsFrom(first: number, runs: number): Promise<number> {
  const code = await loadedCode();
  const totals: Totals = { code, runs: 0, messages: 0, calls: 0, faults: 0, deaths: 0, found: [] };
  const started = performance.now();
  const cpuAtStart = process.cpuUsage();
  while (totals.runs < runs && totals.found.length < violationsMax)
    await runSeed(totals, first + totals.runs, theme);
  const seconds = (performance.now() - started) / 1000;
  const cpu = process.cpuUsage(cpuAtStart);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  console.log(
    `${totals.runs} runs from seed ${first} in ${seconds.toFixed(0)} s (${(totals.messages / cpuSeconds).toFixed(1)} messages a second of processor time): ` +
      `${totals.messages} messages, ${totals.calls} calls to AWS, ${totals.faults} faults, ${totals.deaths} deaths of processes`,
  );
  const failed = totals.found.length;
  console.log(`${totals.runs - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

interface Totals {
  readonly code: Code;
  runs: number;
  messages: number;
  calls: number;
  faults: number;
  deaths: number;
  readonly found: Run[];
}

async function runSeed(totals: Totals, seed: number, only: Theme | undefined): Promise<void> {
  const { code, found } = totals;
  const { messages } = values;
  const plan = messages === undefined ? planOf(seed, only) : largePlanOf(seed, Number(messages));
  const ended = await run(code, plan);
  totals.runs += 1;
  totals.messages += ended.stage.database.rows('Messages').length;
  totals.calls += ended.stage.calls.length;
  totals.faults += ended.stage.faults.happened.length;
  totals.deaths += ended.stage.processDeaths.length;
  if (
    values.twice &&
    traceOf(ended, { whole: true }) !== traceOf(await run(code, ended.plan), { whole: true })
  )
    throw new Error(`two runs of the seed ${seed} differ`);
  if (ended.violations.length === 0) return;
  found.push(ended);
  const option = only === undefined ? '' : ` --only ${only}`;
  console.log(`VIOLATION with --seed ${seed}${option}`);
  for (const { invariant, promise, what } of ended.violations.slice(0, 5))
    console.log(`  ${invariant} (contract ${promise}): ${what}`);
  const shortest = values.whole ? ended : await shrunk(code, ended, shrinkBounds);
  console.log(
    `the shortest run found, of ${shortest.plan.steps.length} steps and ${shortest.stage.faults.happened.length} faults:`,
  );
  console.log(traceOf(shortest, values));
  for (const { invariant, what } of shortest.violations.slice(0, 3))
    console.log(`  so: ${invariant}: ${what}`);
}
