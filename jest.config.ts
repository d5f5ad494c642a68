import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from 'jest';

const root = import.meta.dirname;

/** Tests that use the emulator say so by what they import; a run without any of them does not start it. */
const usesEmulator = /from '[./]+support\/(gateway|tables)\.ts'/;

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => ({ path: `<rootDir>/test/${file}`, text: readFileSync(join(root, 'test', file), 'utf8') }));

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
  projects: [
    ...project(
      'alone',
      tests.filter(({ text }) => !usesEmulator.test(text)).map(({ path }) => path),
    ),
    ...project(
      'emulator',
      tests.filter(({ text }) => usesEmulator.test(text)).map(({ path }) => path),
      {
        globalSetup: '<rootDir>/test/support/start-gateway.ts',
        globalTeardown: '<rootDir>/test/support/stop-gateway.ts',
      },
    ),
  ],
  testTimeout: 60_000,
};

export default config;
