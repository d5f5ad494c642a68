/** What `npm run test:all` says in its last line, and by its status, is what its parts came to. */
import { describe, expect, it } from '@jest/globals';
import { type Part, runAll } from '../../run-parts.ts';

const program = (code: string): Part => ({ command: ['node', '-e', code, '--'] });
/** Writes a report into the file that Jest would write. */
const jestWith = (report: string, status: number): Part => ({
  ...program(`fs.writeFileSync(process.argv.at(-1).split('=')[1], '${report}'); process.exit(${status})`),
  isJest: true,
});
const counted = JSON.stringify({
  numPassedTests: 7,
  numFailedTests: 2,
  numRuntimeErrorTestSuites: 1,
  testResults: [
    { name: 'test/unit/of-one.test.ts', status: 'passed', message: '' },
    { name: 'test/unit/of-another.test.ts', status: 'failed', message: '  ● what it does not do' },
  ],
});

const parts: Readonly<Record<string, Part>> = {
  check: program(''),
  refusal: program('process.exit(1)'),
  counting: program("console.log('4 passed, 1 failed\\n5 passed, 0 failed, 2 skipped')"),
  dying: program("console.log('3 passed, 0 failed'); process.exit(1)"),
  tests: jestWith('{"numPassedTests":7,"numFailedTests":0,"numRuntimeErrorTestSuites":0}', 0),
  failing: jestWith(counted, 1),
  unreported: { ...program(''), isJest: true },
  halfReported: jestWith('{"numPassed', 0),
  absent: { command: ['no-such-program'] },
  skipped: { ...program('process.exit(1)'), needs: 'no-such-program' },
  // Ends with 0 only if it got its arguments.
  asking: program("process.exit(process.argv.slice(-2).join() === '--seed,5' ? 0 : 1)"),
};

async function ran(...lists: string[][]) {
  const printed: string[] = [];
  const status = await runAll(parts, lists, (text) => printed.push(text));
  return { status, last: printed.at(-1), printed: printed.join('\n') };
}

describe('the last line and the status', () => {
  it.each([
    ['check', '1 passed, 0 failed', 0],
    ['refusal', '0 passed, 1 failed', 1],
    ['counting', '5 passed, 0 failed', 0],
    ['dying', '3 passed, 1 failed', 1],
    ['tests', '7 passed, 0 failed', 0],
    ['failing', '7 passed, 3 failed', 1],
    ['unreported', '0 passed, 1 failed', 1],
    ['halfReported', '0 passed, 1 failed', 1],
    ['absent', '0 passed, 1 failed', 1],
    ['unknown', '0 passed, 1 failed', 1],
    ['skipped', '0 passed, 0 failed', 0],
    ['asking --seed 5', '1 passed, 0 failed', 0],
  ])('of %s are %s, %i', async (step, last, status) => {
    expect(await ran([step])).toMatchObject({ last, status });
  });

  it('add up all parts of all lists, which are run whatever failed before', async () => {
    const { last, status, printed } = await ran(['refusal', 'check'], ['failing', 'counting']);
    expect({ last, status }).toEqual({ last: '13 passed, 4 failed', status: 1 });
    expect(printed).toContain(
      'failed: refusal, failing\ntest/unit/of-another.test.ts\n● what it does not do\n13 passed',
    );
  });
});
