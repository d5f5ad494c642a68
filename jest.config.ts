import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

/** The scripts in test/support that start and stop the engine, or that create and remove shared files. */
type Around = readonly [start: string, stop: string];

const emulator: Around = ['gateway/start-gateway.ts', 'gateway/stop-gateway.ts'];
const dynamoDbLocal: Around = ['engine/start-dynamodb-local.ts', 'engine/stop-dynamodb-local.ts'];
const templates: Around = ['template/start-templates.ts', 'template/stop-templates.ts'];

/**
 * The folders of `npm test`, and of the parts of `npm run test:all` and `test:release`. The folder of a test determines what
 * the test needs.
 */
const parts: Readonly<Record<string, Readonly<Record<string, Around | undefined>>>> = {
  test: {
    /** No engine, no template. */
    unit: undefined,
    /** Synthesizes the template or bundles the functions. */
    template: templates,
    /** Needs only the tables. */
    engine: emulator,
    /** The gateway, deployed to the emulator. */
    e2e: emulator,
  },
  /** The dashboard and the documentation in Chromium, which takes more than half of the processor. */
  browser: { browser: emulator },
  /**
   * Tests that send requests to the deployed gateway or wait for it for minutes, and tests of the parts around the API
   * (`aroundTheApi`).
   */
  long: { long: emulator, e2e: emulator },
  /** Tests of `npm start`: each file starts gateways of its own. */
  local: { local: undefined },
  /** Tables on Amazon's own engine, which needs Java 17. */
  'dynamodb-local': { engine: dynamoDbLocal },
};
const part = process.env.TEST_PART ?? 'test';
const folders = parts[part];
if (folders === undefined) throw new Error(`TEST_PART=${part}: there are ${Object.keys(parts).join(', ')}`);

/**
 * Tests that wait for the deployed gateway leave the processor to other tests, even on two cores. With more than four
 * workers, a slow machine starts so many functions at once that requests reach their time limit. Unit tests compute and
 * seldom wait, so they get one worker more than there are processors. Each further worker would load the same modules again.
 */
function workers(): number {
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  return named.length > 0 && named.every((path) => /^(test\/)?unit\b|typescript\/test\b/.test(path))
    ? availableParallelism() + 1
    : 4;
}

/**
 * The first entry compares the results with Amazon's own engine. The other tests make thousands of calls, and would take a
 * large part of `npm test`. The part `dynamodb-local` runs all of these tests.
 */
const onAmazonsEngineOnly = [
  'simulation/',
  'activity/activity-reader.test.ts',
  'admin/message-search.test.ts',
  'cap/cap-counter.test.ts',
  'cap/concurrent-sends.test.ts',
  'cap/counted-sends.test.ts',
  'message/send-bulk-sms.test.ts',
  'message/transitions.test.ts',
  'otp/counted-otps.test.ts',
  'usage/count-changes.test.ts',
].map((path) => `<rootDir>/test/engine/${path}`);

/**
 * The shell, the API of administrators, the API document and the clients take a third of the time of `e2e`. The part `long`
 * runs them, so that `npm test` stays short.
 */
const aroundTheApi = '(?:admin|bin|clients|openapi)/';

function ignoredIn(project: string): string[] {
  if (part === 'test') return [...onAmazonsEngineOnly, `<rootDir>/test/e2e/${aroundTheApi}`];
  return part === 'long' && project === 'e2e' ? [`<rootDir>/test/e2e/(?!${aroundTheApi})`] : [];
}

function project(name: string, around: Around | undefined): Config {
  return {
    displayName: name,
    testEnvironment: '<rootDir>/test/support/jest/plain-context.ts',
    roots: ['<rootDir>/test', '<rootDir>/clients/typescript/test'],
    testMatch: [
      `<rootDir>/test/${name}/**/*.test.ts`,
      // The tests of the TypeScript client need no engine.
      ...(name === 'unit' ? ['<rootDir>/clients/typescript/test/**/*.test.ts'] : []),
    ],
    testPathIgnorePatterns: ignoredIn(name),
    extensionsToTreatAsEsm: ['.ts', '.tsx'],
    transform: {
      '\\.tsx?$': [
        '@swc/jest',
        { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
      ],
    },
    // Runs once for all tests, and only if a test of this project runs.
    ...(around === undefined
      ? {}
      : {
          globalSetup: `<rootDir>/test/support/${around[0]}`,
          globalTeardown: `<rootDir>/test/support/${around[1]}`,
        }),
  };
}

const config: Config = {
  // No test depends on another test, so the order in each file is random; the seed is printed.
  randomize: true,
  showSeed: true,
  projects: Object.entries(folders).map(([name, around]) => project(name, around) as never),
  // The waits in the tests (`waitMaxSeconds`) end before this limit, and say what they did not see.
  testTimeout: 600_000,
  maxWorkers: workers(),
  testSequencer: '<rootDir>/test/support/jest/longest-first.ts',
};

export default config;
