/**
 * A thousand messages from people, STOP and START among them, while clients write to them, with the faults of
 * `messages.ts`. Prints the results; exits with 1 if a message was lost or doubled, not reported to its client, or if a
 * message was sent to somebody who had opted out. `node test/faults/inbound.ts [seed] [messages] [seconds of skew]`.
 */
import { runInbound } from '../support/message/inbound-run.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const skewMaxMs = Number(process.argv[4] ?? 120) * 1000;
const started = performance.now();
const { violations, counts, faults } = await runInbound({ seed, total, skewMaxMs });

console.log(`seed ${seed}: ${total} messages to and from people`);
const listed = Object.entries(faults).map(([name, count]) => `${name} ${count}`);
console.log(`faults: ${listed.join(', ')}`);
for (const [name, count] of Object.entries(counts)) console.log(`  ${name}: ${count}`);
for (const violation of violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
console.log(`violations ${violations.length}, in ${((performance.now() - started) / 1000).toFixed(1)} s`);
if (violations.length > 0) process.exitCode = 1;
