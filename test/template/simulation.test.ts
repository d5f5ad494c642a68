import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
