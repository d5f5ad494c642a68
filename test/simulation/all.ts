/**
 * Runs the deployed stage in a simulated world, seed after seed, and judges each run by the promises of the contract.
 * `npm run test:simulate -- [--seed N [--runs N]] [--minutes N] [--only NAME]`: one seed, or so many from it on, or fresh ones
 * for so many minutes; NAME is what the runs are about (`limits`). Prints the shortest trace of a violation; exits with 1 if there was one.
 * `--whole` prints the trace of the whole run instead; `--twice` runs each seed a second time, and fails if its trace differs.
 */
import { parseArgs } from 'node:util';
import { unusedOperations } from '../support/simulation/actors/actors.ts';
import { type Theme, themes } from '../support/simulation/actors/themes.ts';
import { loadedCode } from '../support/simulation/code.ts';
import { planOf } from '../support/simulation/plan.ts';
import { type Run, run } from '../support/simulation/run.ts';
import { shrunk } from '../support/simulation/shrink.ts';
import { traceOf } from '../support/simulation/trace.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
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
const shrinkMs = 120_000;
const violationsMax = 5;

const code = await loadedCode();
const started = performance.now();
const cpuAtStart = process.cpuUsage();
const totals = { runs: 0, messages: 0, calls: 0, faults: 0, deaths: 0 };
const found: Run[] = [];
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const endsAt = started + Number(values.minutes) * 60_000;
for (let seed = first; ; seed += 1) {
  await runSeed(seed, theme);
  if (found.length >= violationsMax) break;
  if (values.seed === undefined ? performance.now() > endsAt : totals.runs >= Number(values.runs)) break;
}
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuAtStart);
const cpuSeconds = (cpu.user + cpu.system) / 1e6;
console.log(
  `${totals.runs} runs from seed ${first} in ${seconds.toFixed(0)} s (${(totals.messages / cpuSeconds).toFixed(1)} messages a second of processor time): ` +
    `${totals.messages} messages, ${totals.calls} calls to AWS, ${totals.faults} faults, ${totals.deaths} deaths of processes`,
);
console.log(`${totals.runs - found.length} passed, ${found.length} failed`);
if (found.length > 0) process.exitCode = 1;

async function runSeed(seed: number, only: Theme | undefined): Promise<void> {
  const ended = await run(code, planOf(seed, only));
  totals.runs += 1;
  totals.messages += ended.stage.database.rows('Messages').length;
  totals.calls += ended.stage.calls.length;
  totals.faults += ended.stage.faults.happened.length;
  totals.deaths += ended.stage.processDeaths.length;
  if (values.twice && traceOf(ended) !== traceOf(await run(code, ended.plan)))
    throw new Error(`two runs of the seed ${seed} differ`);
  if (ended.violations.length === 0) return;
  found.push(ended);
  const option = only === undefined ? '' : ` --only ${only}`;
  console.log(`VIOLATION with --seed ${seed}${option}`);
  for (const { invariant, promise, what } of ended.violations.slice(0, 5))
    console.log(`  ${invariant} (contract ${promise}): ${what}`);
  const shortest = values.whole ? ended : await shrunk(code, ended, shrinkMs);
  console.log(
    `the shortest run found, of ${shortest.plan.steps.length} steps and ${shortest.stage.faults.happened.length} faults:`,
  );
  console.log(traceOf(shortest));
  for (const { invariant, what } of shortest.violations.slice(0, 3))
    console.log(`  so: ${invariant}: ${what}`);
}
