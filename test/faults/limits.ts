/**
 * A client's limits that administrators change and people edit by hand at the same moments, over the threshold of shards
 * and back, while its requests come and calls fail. Prints the results; exits with 1 if a limit was passed, an edit was
 * undone, or a message of another client was handed over later than two seconds after its request.
 * `node test/faults/limits.ts [seed] [requests]`.
 */
import { runEditedLimits } from '../support/rate-limit/edited-limits-run.ts';

const first = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const requests = Number(process.argv[3] ?? 1000);
const runs = 5;
const otherSecondsMax = 2;

for (let seed = first; seed < first + runs; seed += 1) {
  const { violations, admitted, refused, changes, otherSeconds } = await runEditedLimits({ seed, requests });
  const longest = Math.max(...otherSeconds);
  const isInTime = otherSeconds.length > 0 && longest <= otherSecondsMax;
  console.log(
    `limits that change, seed ${seed}: ${admitted} admitted, ${refused} refused, ${changes} changes of the row,`,
    `${otherSeconds.length} other messages after ${longest.toFixed(2)} s${isInTime ? '' : ' VIOLATION'}`,
  );
  for (const violation of violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
  if (violations.length > 0 || !isInTime) process.exitCode = 1;
}
