import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

/** `npm run test:dynamodb-local`: tests of tables on Amazon's own engine, which needs Java 17. */
const onDynamoDbLocal = process.env.DYNAMODB_LOCAL === '1';
/** `npm run test:local`: tests of what `npm start` does, each of which starts gateways of its own. */
const ofLocalGateways = process.env.LOCAL_GATEWAYS === '1';
/** `npm run test:browser`: the dashboard and the documentation in Chromium, which takes more than half of the processor. */
const inBrowser = process.env.IN_BROWSER === '1';
/** `npm run test:release`: what takes too long for every run, such as the attacks of `test/release/adversary`. */
const beforeRelease = process.env.BEFORE_RELEASE === '1';

/** What starts and stops the engine or makes and removes shared files, below test/support. */
type Around = readonly [start: string, stop: string];

const emulator: Around = ['gateway/start-gateway.ts', 'gateway/stop-gateway.ts'];
const dynamoDbLocal: Around = ['engine/start-dynamodb-local.ts', 'engine/stop-dynamodb-local.ts'];
const templates: Around = ['template/start-templates.ts', 'template/stop-templates.ts'];

/** The folder of a test tells what it needs. */
function folders(): Readonly<Record<string, Around | undefined>> {
  if (onDynamoDbLocal) return { engine: dynamoDbLocal };
  if (ofLocalGateways) return { local: undefined };
  if (inBrowser) return { browser: emulator };
  if (beforeRelease) return { release: emulator };
  return {
    /** No engine, no template. */
    unit: undefined,
    /** Synthesizes the template or bundles the functions. */
    template: templates,
    /** Tables, and nothing else of AWS. */
    engine: emulator,
    /** The gateway, deployed to the emulator. */
    e2e: emulator,
  };
}

/**
 * Those that wait for the deployed gateway leave the processor to others, also on two cores; a worker takes up to 1.1 GB.
 * Units compute: one more than there are processors, for the few that wait; each further one would load the same modules.
 */
function workers(): number {
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  return named.length > 0 && named.every((path) => /^(test\/)?unit\b/.test(path))
    ? availableParallelism() + 1
    : 6;
}

function project(name: string, around: Around | undefined): Config {
  return {
    displayName: name,
    testEnvironment: '<rootDir>/test/support/jest/plain-context.ts',
    roots: ['<rootDir>/test'],
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
    // Compared with Amazon's own engine only.
    testPathIgnorePatterns: onDynamoDbLocal ? [] : ['<rootDir>/test/engine/simulation/'],
    extensionsToTreatAsEsm: ['.ts', '.tsx'],
    transform: {
      '\\.tsx?$': [
        '@swc/jest',
        { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
      ],
    },
    // Once in a run, and only when the run has a test of this project.
    ...(around === undefined
      ? {}
      : {
          globalSetup: `<rootDir>/test/support/${around[0]}`,
          globalTeardown: `<rootDir>/test/support/${around[1]}`,
        }),
  };
}

const config: Config = {
  // No test depends on another: the order in each file is random; the seed is printed.
  randomize: true,
  showSeed: true,
  projects: Object.entries(folders()).map(([name, around]) => project(name, around) as never),
  // The tests' own waits (`waitMaxSeconds`) end first, and say what was not seen.
  testTimeout: 600_000,
  maxWorkers: workers(),
  testSequencer: '<rootDir>/test/support/jest/longest-first.ts',
};

export default config;
