/**
 * Runs the tests beyond `npm test`, part by part. `npm run test:all` runs what every change must pass, `npm run
 * test:release` what takes longer: each part is run whatever the others came to, and the totals are the last line.
 * `npm run test:release -- deploy` runs one part, `npm run test:release -- clients orval,java` with arguments for it.
 */
import { parts, suites } from './parts.ts';
import { runAll, runAlone } from './run-parts.ts';

const [suiteName = '', name, ...args] = process.argv.slice(2);
const suite = suites[suiteName];
const part = parts[name ?? ''];
if (suite === undefined) {
  throw new Error(`there is no suite ${suiteName}`);
} else if (name === undefined) {
  process.exitCode = await runAll(parts, suite);
} else if (part === undefined) {
  console.error(`There is no part ${name}. The parts are ${Object.keys(parts).join(', ')}.`);
  process.exitCode = 2;
} else {
  process.exitCode = await runAlone(part, args);
}
