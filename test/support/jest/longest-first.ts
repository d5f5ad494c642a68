/**
 * The order in which Jest starts test files: the long ones early, and those that wait for the clock spread among those that
 * compute. If all that wait came first, they would take every worker, and the processor would be idle; if one came last,
 * nothing would run beside it.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type module from '@jest/test-sequencer';

// Its types are those of `require`.
const { default: Sequencer }: typeof module = createRequire(import.meta.url)('@jest/test-sequencer');
type Tests = Awaited<ReturnType<module.default['sort']>>;

const testFolder = join(import.meta.dirname, '..', '..');
const pathOf = (name: string): string => join(testFolder, name);

/** Each waits a quarter of a minute or more for what takes its time by the clock, the longest first. */
const waiting = [
  'e2e/webhook-deliveries.test.ts',
  'e2e/message-walk.test.ts',
  'e2e/openapi/webhook-guide.test.ts',
  'e2e/inbound.test.ts',
  'e2e/check.test.ts',
  'e2e/retry-schedule.test.ts',
  'e2e/otp-secrecy.test.ts',
  'e2e/fallback.test.ts',
].map(pathOf);

/** Each computes, or has the emulator compute, for long. */
const computing = [
  'browser/admin-dashboard-tasks.test.ts',
  'browser/admin-dashboard-navigation.test.ts',
  'browser/admin-dashboard-refresh.test.ts',
  'browser/admin-dashboard-responses.test.ts',
  'engine/usage/count-changes.test.ts',
  'browser/otp-hold.test.ts',
  'engine/otp/counted-otps.test.ts',
  'e2e/hostile-text.test.ts',
  'engine/cap/concurrent-sends.test.ts',
  'browser/admin-dashboard-views.test.ts',
  'browser/admin-dashboard-usage.test.ts',
  'browser/openapi/pages.test.ts',
  'e2e/admin/admin-api.test.ts',
  'e2e/admin/lists-and-figures.test.ts',
  'e2e/bin/admin.test.ts',
  'browser/admin-dashboard.test.ts',
  'browser/admin-dashboard-mishaps.test.ts',
  'browser/admin-dashboard-endpoints.test.ts',
  'engine/message/send-bulk-sms.test.ts',
  'engine/admin/message-search.test.ts',
  'engine/cap/counted-sends.test.ts',
  'engine/cap/cap-counter.test.ts',
  'template/bundle.test.ts',
].map(pathOf);

/** These wait for templates, in a worker that could run others: they come last, when all templates are there. */
const templates = pathOf('template/');

/** So many that wait start first; each of the others follows so many that compute. */
const waitingAtFirst = 3;
const computingBetween = 10;

export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const known = [...waiting, ...computing];
    const absent = known.filter((path) => !existsSync(path));
    if (absent.length > 0) throw new Error(`${import.meta.filename} names ${absent.join(', ')}`);
    const last = known.length + 1;
    const rank = ({ path }: Tests[number]) =>
      known.indexOf(path) + 1 || (path.startsWith(templates) ? last + 1 : last);
    const sorted = (await super.sort([...tests])).toSorted((a, b) => rank(a) - rank(b));
    const later = sorted.filter(({ path }) => waiting.includes(path));
    const first = later.splice(0, waitingAtFirst);
    const mixed = sorted
      .filter(({ path }) => !waiting.includes(path))
      .flatMap((test, index) =>
        (index + 1) % computingBetween === 0 ? [test, ...later.splice(0, 1)] : [test],
      );
    return [...first, ...mixed, ...later];
  }
}
