/** Which test files need which engine, told by what they import: a run without any that need one does not start it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const support = (name: string): string => join(root, 'test', 'support', name);
const [gateway, tables] = [support('gateway.ts'), support('tables.ts')];

const suites = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(root, 'test', file));

/** The file, and every file that it imports, directly or not. */
export function importsOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
    importsOf(join(dirname(file), path), found);
  }
  return found;
}

const imported = new Map(suites.map((suite) => [suite, importsOf(suite)]));
const needs = (suite: string, file: string): boolean => imported.get(suite)?.has(file) === true;

/** Suites that need the emulator with the gateway deployed on it, or at least tables. */
export const suitesOnEmulator = suites.filter((suite) => needs(suite, gateway) || needs(suite, tables));

export const suitesWithoutEngine = suites.filter((suite) => !suitesOnEmulator.includes(suite));

/** Suites that need tables and nothing else of AWS: they also run on Amazon's DynamoDB Local. */
export const suitesOnTables = suites.filter((suite) => needs(suite, tables) && !needs(suite, gateway));
