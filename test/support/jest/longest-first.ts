/**
 * The order in which Jest starts test files: first those that wait for minutes, so that the others run meanwhile.
 * Jest's own order does the same from its cache, which a clean checkout does not have.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type module from '@jest/test-sequencer';

// Its types are those of `require`.
const { default: Sequencer }: typeof module = createRequire(import.meta.url)('@jest/test-sequencer');
type Tests = Awaited<ReturnType<module.default['sort']>>;

const testFolder = join(import.meta.dirname, '..', '..');

/** Each takes half a minute or more. First are three that wait, beside which others compute. */
const longest = [
  'e2e/webhook-account.test.ts',
  'e2e/webhook-endpoints.test.ts',
  'e2e/webhook-deliveries.test.ts',
  'browser/admin-dashboard-tasks.test.ts',
  'e2e/fuzz/hostile-requests.test.ts',
  'e2e/scheduled-message.test.ts',
  'browser/admin-dashboard-navigation.test.ts',
  'browser/admin-dashboard-refresh.test.ts',
  'browser/admin-dashboard-answers.test.ts',
  'e2e/message-walk.test.ts',
  'engine/usage/count-changes.test.ts',
  'browser/otp-hold.test.ts',
  'engine/otp/otp-hold.test.ts',
  'e2e/rotate-credentials.test.ts',
  'e2e/limit-feedback.test.ts',
  'e2e/retry-schedule.test.ts',
  'e2e/hostile-text.test.ts',
  'e2e/message/crash-points.test.ts',
  'engine/cap/concurrent-sends.test.ts',
  'e2e/inbound.test.ts',
  'e2e/bin/resend-many.test.ts',
  'browser/admin-dashboard-views.test.ts',
  'browser/admin-dashboard-usage.test.ts',
  'browser/openapi/pages.test.ts',
  'e2e/admin/admin-api.test.ts',
  'browser/admin-dashboard.test.ts',
  'browser/admin-dashboard-mishaps.test.ts',
  'browser/admin-dashboard-endpoints.test.ts',
  'engine/cap/cap-counter.test.ts',
  'unit/message/faults.test.ts',
  'unit/webhook/crash-points.test.ts',
].map((name) => join(testFolder, name));

export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const absent = longest.filter((path) => !existsSync(path));
    if (absent.length > 0) throw new Error(`${import.meta.filename} names ${absent.join(', ')}`);
    const rank = ({ path }: Tests[number]) => longest.indexOf(path) + 1 || longest.length + 1;
    return (await super.sort([...tests])).toSorted((a, b) => rank(a) - rank(b));
  }
}
