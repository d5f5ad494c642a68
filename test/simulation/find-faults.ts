/**
 * Puts each deliberate fault into the code, and runs seeds until a promise is broken that the code without the fault keeps
 * with the same seed. Prints how many seeds and how many seconds of processor time it took; exits with 1 if one was not found.
 * `node test/simulation/find-faults.ts [--seconds N] [--only TEXT]... [--from SEED]`: at most so many seconds for each; only
 * the faults with one of these texts in their names; the first seed. `--trace` prints the shortest trace of each, too, which must
 * be short enough to read.
 */
import { parseArgs } from 'node:util';
import { loadedCode } from '../support/simulation/code.ts';
import { deliberateFaults } from '../support/simulation/deliberate-fault.ts';
import { planOf } from '../support/simulation/plan.ts';
import { type Code, type Run, run } from '../support/simulation/run.ts';
import { shrunk } from '../support/simulation/shrink.ts';
import { traceOf } from '../support/simulation/trace.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    only: { type: 'string', multiple: true, default: [''] },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});
const readableLines = 70;
const secondsMax = Number(values.seconds);
const rows: string[] = [];
let missed = 0;

for (const [name, { theme, promise, changes }] of Object.entries(await deliberateFaults())) {
  if (!values.only.some((text) => name.includes(text))) continue;
  const code = await loadedCode(changes);
  const seconds = processorTime();
  let found: string | undefined;
  let seeds = 0;
  while (found === undefined && seconds() < secondsMax) {
    const plan = planOf(Number(values.from) + seeds, theme);
    const ended = await run(code, plan);
    seeds += 1;
    const first = await ofTheFault(ended);
    if (first === undefined) continue;
    if (values.trace) await printTrace(code, { ...ended, violations: [first] });
    found = `${first.invariant}: ${first.what}`;
  }
  if (found === undefined) missed += 1;
  const taken = `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${seconds().toFixed(1)} s`;
  console.log(
    found === undefined ? `NOT FOUND in ${taken}: ${name}` : `found in ${taken}: ${name}\n  ${found}`,
  );
  rows.push(`| ${name} | ${promise} | ${theme} | ${found === undefined ? `not found in ${taken}` : taken} |`);
}
console.log(`\n| Fault | Promise | Theme | Found in |\n|---|---|---|---|\n${rows.join('\n')}`);
if (missed > 0) process.exitCode = 1;

/** The first violation of an invariant that holds in the run of the same plan without the fault. */
async function ofTheFault({ plan, violations }: Run): Promise<Run['violations'][number] | undefined> {
  if (violations.length === 0) return undefined;
  const without = await run(await loadedCode(), plan);
  return violations.find(({ invariant }) => !without.violations.some((one) => one.invariant === invariant));
}

async function printTrace(code: Code, ended: Run): Promise<void> {
  const trace = traceOf(await shrunk(code, ended, { runs: 150, ms: 120_000 }));
  console.log(trace);
  if (trace.split('\n').length < readableLines) return;
  console.log('this trace is too long to read');
  process.exitCode = 1;
}

/** How many seconds of processor time this process has used from now on: what others do on the machine does not count. */
function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
}
