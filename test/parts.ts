/** The parts of the tests that `npm run test:all` and `npm run test:release` run, and how each is started. */

import type { Part } from './run-parts.ts';

const jest = (environment: Readonly<Record<string, string>>, ...files: readonly string[]): Part => ({
  command: ['npm', '--silent', 'test', '--', ...files],
  environment,
  isJest: true,
});
const script = (name: string): Part => ({ command: ['npm', '--silent', 'run', name, '--'] });
const program = (...command: readonly string[]): Part => ({ command: ['node', ...command] });

export const parts: Readonly<Record<string, Part>> = {
  test: { ...jest({}), usesCalls: true },
  types: script('types'),
  lint: script('lint'),
  format: script('format:check'),
  browser: { ...jest({ TEST_PART: 'browser' }), usesCalls: true },
  'browser-10000-rows': jest({ TEST_PART: 'browser', DASHBOARD_ROWS: '10000' }, 'admin-dashboard-tasks'),
  long: { ...jest({ TEST_PART: 'long' }), usesCalls: true },
  // A restore makes calls that no other test makes.
  local: { ...jest({ TEST_PART: 'local' }), usesCalls: true },
  restore: jest({ TEST_PART: 'local', RESTORED_MESSAGES: '2000' }, 'local/restore'),
  // Amazon's own engine needs Java 17.
  'dynamodb-local': { ...jest({ TEST_PART: 'dynamodb-local' }), needs: 'java' },
  'test-keys': jest({ TEST_PART: 'long', TEST_KEY_CALLS: '5000' }, 'test-key-separation'),
  properties: jest({ FUZZ_RUNS: '5000', DUE_ROWS: '1000000' }, '/fuzz/', 'unit/due/'),
  deploy: program('test/deploy/deploy.ts'),
  'aws-inputs': { ...program('test/aws-inputs/all.ts'), usesCalls: true },
  templates: program('test/deploy/lint-templates.ts'),
  simulate: program('--max-semi-space-size=64', 'test/simulation/all.ts'),
  'alarm-faults': program('--max-semi-space-size=64', 'test/simulation/alarm-faults.ts'),
  'deliberate-faults': program('--max-semi-space-size=64', 'test/simulation/find-faults.ts'),
  fuzz: program('test/fuzz/api.ts'),
  clients: program('test/clients/all.ts'),
  construct: program('test/construct/all.ts'),
  carriers: program('test/carriers/certify.ts'),
};

/**
 * The parts of each suite, with their arguments, in lists that run one after another. Two parts of a list run side by
 * side, because most use one core, and the longest start first. `npm test` and `long` use all cores. `aws-inputs` checks
 * the calls that the parts of earlier lists recorded.
 */
export const suites: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // At most 15 minutes: `.ci/run`.
  all: [
    ['test'],
    [
      'browser admin-dashboard.test admin-dashboard-tasks openapi',
      // The same seeds at each run; `npm run test:simulate` has fresh ones.
      'simulate --seed 1 --runs 24',
      'templates',
      'local ctrl-c',
      'types',
      'lint',
      'format',
    ],
  ],
  release: [
    ['test'],
    ['long'],
    ['browser', 'deploy', 'local', 'construct', 'dynamodb-local', 'clients'],
    [
      'aws-inputs',
      'templates each-setting',
      'test-keys',
      'browser-10000-rows',
      'alarm-faults',
      'deliberate-faults --trace --only admits',
      'restore',
      'fuzz',
      'carriers aws',
      'carriers aws --channel whatsapp',
      'carriers twilio',
      'carriers infobip',
      'carriers meta',
      // A seed gives the same run again.
      'simulate --seed 5 --only messages --twice',
      'simulate --minutes 20',
      'simulate --messages 10000',
      'properties',
    ],
  ],
};
