/**
 * Webhooks that failed in an outage and are resent by one request, with faults: processes die and calls fail, messages are
 * lost and doubled, clocks are wrong. Prints what was wrong; exits with 1 if a webhook was left out, resent twice, or
 * posted twice without a death in its POST. `node test/faults/resends.ts [seed] [deliveries]`.
 */
import { randomFrom } from '../support/doubles/seeded-random.ts';
import { usualFaults } from '../support/simulation/usual-faults.ts';
import { resendWithFaults } from '../support/webhook/outage.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const messagesPerRun = 50;
/** Each message has two webhooks. */
const runs = Math.max(1, Math.round(total / (2 * messagesPerRun)));
const skewMaxMs = 2000;

const violations: string[] = [];
for (let run = 0; run < runs; run += 1) {
  const world = usualFaults(randomFrom(seed + run), skewMaxMs);
  const found = await resendWithFaults({ messages: messagesPerRun, ...world });
  violations.push(...found.map((violation) => `seed ${seed + run}: ${violation}`));
}
for (const violation of violations) console.log(violation);
console.log(
  `${2 * messagesPerRun * runs} webhooks resent with faults, seed ${seed}: ${violations.length} wrong`,
);
if (violations.length > 0) process.exitCode = 1;
