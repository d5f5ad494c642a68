import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { importsOf, suitesOnEmulator, suitesOnTables, suitesWithoutEngine } from './suites.ts';

const root = join(import.meta.dirname, '..', '..');

it('every file that reads or writes a table is used by a suite that also runs on DynamoDB Local', () => {
  const used = new Set(suitesOnTables.flatMap((suite) => [...importsOf(suite)]));
  const unused = readdirSync(join(root, 'shared'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.dynamo.ts'))
    .filter((file) => !used.has(join(root, 'shared', file)));
  expect(unused).toEqual([]);
});

it('no suite that runs on DynamoDB Local needs the deployed gateway', () => {
  const gateway = join(root, 'test', 'support', 'gateway.ts');
  expect(suitesOnTables.filter((suite) => importsOf(suite).has(gateway))).toEqual([]);
  expect(suitesOnTables.length).toBeGreaterThan(0);
});

it('every suite is in one project of the whole run', () => {
  const found = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const projects = [...suitesWithoutEngine, ...suitesOnEmulator].map((suite) =>
    relative(join(root, 'test'), suite),
  );
  expect(projects.toSorted()).toEqual(found.toSorted());
});
