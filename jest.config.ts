import type { Config } from 'jest';
import { suitesOnEmulator, suitesOnTables, suitesWithoutEngine } from './test/support/suites.ts';

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

/** `npm run test:dynamodb-local`: Amazon's own engine needs Java 17, which `npm test` does not ask for. */
const onDynamoDbLocal = process.env.DYNAMODB_LOCAL === '1';

const config: Config = {
  // No test counts on another: each file runs its tests in another order each time, by a seed that is printed.
  randomize: true,
  showSeed: true,
  projects: onDynamoDbLocal
    ? project('DynamoDB Local', suitesOnTables, {
        globalSetup: '<rootDir>/test/support/start-dynamodb-local.ts',
        globalTeardown: '<rootDir>/test/support/stop-dynamodb-local.ts',
      })
    : [
        ...project('alone', suitesWithoutEngine),
        ...project('emulator', suitesOnEmulator, {
          globalSetup: '<rootDir>/test/support/start-gateway.ts',
          globalTeardown: '<rootDir>/test/support/stop-gateway.ts',
        }),
      ],
  // With `--coverage`: that every file which reads or writes a table has been run on the engine, most of it at least.
  coverageProvider: 'v8',
  collectCoverageFrom: ['shared/**/*.dynamo.ts'],
  coverageThreshold: { global: {}, './shared/**/*.dynamo.ts': { functions: 70, lines: 75 } },
  coverageReporters: ['text'],
  testTimeout: 60_000,
  // Many tests wait for the deployed gateway, so two at once are worth it on two cores, too.
  maxWorkers: 2,
};

export default config;
