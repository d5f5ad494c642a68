/**
 * A count whose answer is lost is repeated by the SDK, and counts once more: never are more requests admitted than the
 * limit, and what is counted is what was admitted and what repeated calls counted (docs/limits.md).
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { countersIn } from '../../../shared/limit/counters.dynamo.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { losingResponses } from '../../support/engine/lost-responses.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters']);
});
afterAll(() => tables.drop());

/** Each check by a process of its own, which remembers no refusal. */
async function checkAtOnce(clientId: string, times: number, isLost: (response: number) => boolean) {
  const { dynamo, lost } = losingResponses(isLost);
  const counters = countersIn(dynamo, tables.names.rate_counters);
  const check = () =>
    rateLimiter({ counters, limitsOf: async () => limits }).check(
      { kind: 'client', clientId },
      'sms_send',
      noon,
    );
  const decisions = await Promise.all(Array.from({ length: times }, check));
  dynamo.destroy();
  return { admitted: decisions.filter(({ admitted }) => admitted), lost: lost() };
}

it('is admitted, and counts once more for each lost response', async () => {
  const { admitted, lost } = await checkAtOnce('one', 1, (response) => response < 2);
  expect(lost).toBe(2);
  expect(admitted.map(({ binding }) => binding.remaining)).toEqual([60 - 3]);
});

it('of 150 requests at once uses the limit to the end and no further', async () => {
  // Of the first calls only: a call that loses its repeats, too, is no answer.
  const { admitted, lost } = await checkAtOnce(
    'many',
    150,
    (response) => response < 100 && response % 7 === 0,
  );
  expect(lost).toBeGreaterThan(0);
  expect(admitted.length + lost).toBe(limits.perMinute);
  expect(new Set(admitted.map(({ binding }) => binding.remaining)).size).toBe(admitted.length);
});
