import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { unusedOperations } from '../support/simulation/actors/actors.ts';
import { invariants } from '../support/simulation/invariants/invariants.ts';

it('uses every operation of the API in the simulation', () => {
  expect(unusedOperations()).toEqual([]);
});

const docs = join(import.meta.dirname, '../../docs');

it('has invariants that name the promises which they hold', () => {
  const contract = readFileSync(join(docs, 'contract.md'), 'utf8');
  const isPromise = (name: string): boolean =>
    /^\d/.test(name) ? contract.includes(`**${name}**`) : existsSync(join(docs, `${name}.md`));
  const unknown = Object.entries(invariants).flatMap(([name, { promise }]) =>
    promise.split(', ').flatMap((one) => (isPromise(one) ? [] : [`${name}: ${one}`])),
  );
  expect(unknown).toEqual([]);
});
