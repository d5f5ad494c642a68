import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/** With what a violation takes to be made short, within the time of a test. */
const minutes = 6;

it('keeps every promise in a simulated world, through faults of every service and deaths of processes', () => {
  const program = join(import.meta.dirname, '../simulation/all.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--minutes', `${minutes}`], {
    encoding: 'utf8',
  });
  // It names the seed, and tells the shortest run with a violation.
  expect(status === 0 ? '' : `${stdout}${stderr}`).toBe('');
});
