import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from 'jest';

const root = import.meta.dirname;

/**
 * Tests that use the emulator say so by what they import, themselves or by a file of theirs: a run without any of
 * them does not start it.
 */
function usesEmulator(file: string, seen = new Set<string>()): boolean {
  if (file === join(root, 'test', 'support', 'gateway.ts')) return true;
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g);
  return [...imports]
    .map(([, path = '']) => join(dirname(file), path))
    .some((path) => path.startsWith(join(root, 'test')) && usesEmulator(path, seen));
}

/** Amazon's own engine needs Java 17, which a newcomer's machine may lack: its tests run where they are asked for. */
const withDynamoDbLocal = process.env.DYNAMODB_LOCAL === '1';

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => withDynamoDbLocal || !file.endsWith('.dynamodb-local.test.ts'))
  .map((file) => join(root, 'test', file));

const shared: Config = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.tsx?$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
};

function project(
  displayName: string,
  testMatch: string[],
  more: Config = {},
): NonNullable<Config['projects']> {
  return testMatch.length === 0 ? [] : [{ ...shared, displayName, testMatch, ...more } as never];
}

const config: Config = {
  // No test counts on another: each file runs its tests in another order each time, by a seed that is printed.
  randomize: true,
  showSeed: true,
  projects: [
    ...project(
      'alone',
      tests.filter((file) => !usesEmulator(file)),
    ),
    ...project(
      'emulator',
      tests.filter((file) => usesEmulator(file)),
      {
        globalSetup: '<rootDir>/test/support/start-gateway.ts',
        globalTeardown: '<rootDir>/test/support/stop-gateway.ts',
      },
    ),
  ],
  testTimeout: 60_000,
  // Many tests wait for the deployed gateway, so two at once are worth it on two cores, too.
  maxWorkers: 2,
};

export default config;
