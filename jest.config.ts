import type { Config } from 'jest';

/** `npm run test:dynamodb-local`: tests of tables on Amazon's own engine, which needs Java 17. */
const onDynamoDbLocal = process.env.DYNAMODB_LOCAL === '1';

const emulator = ['gateway/start-gateway.ts', 'gateway/stop-gateway.ts'] as const;
const dynamoDbLocal = ['engine/start-dynamodb-local.ts', 'engine/stop-dynamodb-local.ts'] as const;

interface Needs {
  /** What starts and stops the engine, below test/support. */
  readonly engine?: readonly [start: string, stop: string];
}

/** The folder of a test says what it needs. */
const folders: Readonly<Record<string, Needs>> = onDynamoDbLocal
  ? { engine: { engine: dynamoDbLocal } }
  : {
      /** No engine, no template. */
      unit: {},
      /** Synthesizes the template or bundles the functions. */
      template: {},
      /** Tables, and nothing else of AWS. */
      engine: { engine: emulator },
      /** The gateway as it is deployed to the emulator. */
      e2e: { engine: emulator },
    };

function project(name: string, { engine }: Needs): Config {
  return {
    displayName: name,
    testEnvironment: 'node',
    roots: ['<rootDir>/test'],
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
    extensionsToTreatAsEsm: ['.ts', '.tsx'],
    transform: {
      '\\.tsx?$': [
        '@swc/jest',
        { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
      ],
    },
    // Once for a run, and only when the run has a test that needs it.
    ...(engine === undefined
      ? {}
      : {
          globalSetup: `<rootDir>/test/support/${engine[0]}`,
          globalTeardown: `<rootDir>/test/support/${engine[1]}`,
        }),
  };
}

const config: Config = {
  // No test depends on another: the order within each file is random, by a seed that is printed.
  randomize: true,
  showSeed: true,
  projects: Object.entries(folders).map(([name, needs]) => project(name, needs) as never),
  testTimeout: 60_000,
  // Many tests wait for the deployed gateway, so two at once pay off even on two cores.
  maxWorkers: 2,
};

export default config;
