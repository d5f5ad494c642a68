/**
 * A thousand messages from the request to the last webhook with faults: processes die, calls fail, are throttled, late
 * and doubled, queues and streams repeat themselves, queues refuse some entries for good, the stream
 * loses some new messages, clocks are wrong by up to two minutes. Prints
 * the results; exits with 1 if a message was lost, not finished, without its webhook, or doubled without a reason.
 * `node test/faults/messages.ts [seed] [messages] [seconds of skew]`.
 */
import { runMessages } from '../support/message/message-run.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const skewMaxMs = Number(process.argv[4] ?? 120) * 1000;
const started = performance.now();
const run = await runMessages({ seed, total, skewMaxMs });

console.log(`seed ${seed}: ${run.messages} messages, ${run.calls} calls`);
console.log(`faults: ${listed(run.faults)}`);
console.log(`answers: ${listed(run.answers)}`);
console.log(`dead letters: ${listed(run.deadLetters)}`);
for (const [name, count] of Object.entries(run.counts)) console.log(`  ${name}: ${count}`);
for (const violation of run.violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
console.log(`violations ${run.violations.length}, in ${((performance.now() - started) / 1000).toFixed(1)} s`);
if (run.violations.length > 0) process.exitCode = 1;

function listed(counted: Readonly<Record<string, number>>): string {
  return Object.entries(counted)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
