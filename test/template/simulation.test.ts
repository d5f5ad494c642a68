import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { unusedOperations } from '../support/simulation/actors/actors.ts';
import { invariants } from '../support/simulation/invariants/invariants.ts';

it('uses every operation of the API in the simulation', () => {
  expect(unusedOperations()).toEqual([]);
});

it('names the promises that it holds by their numbers', () => {
  const contract = readFileSync(join(import.meta.dirname, '../../docs/contract.md'), 'utf8');
  const unknown = Object.values(invariants)
    .flatMap(({ promise }) => promise.split(', '))
    .filter((promise) => /^\d/.test(promise) && !contract.includes(`**${promise}**`));
  expect(unknown).toEqual([]);
});

it('gives the same run for the same seed', async () => {
  const program = join(import.meta.dirname, '../simulation/all.ts');
  const options = [program, '--seed', '5', '--only', 'messages', '--twice'];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  expect(stdout).toContain('1 passed, 0 failed');
});
