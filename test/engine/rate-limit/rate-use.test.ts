/** What is used of a limit, as an administrator reads it, is what the limiter has counted. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { countersIn, countIn, readCounts } from '../../../shared/limit/counters.dynamo.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { counterKey } from '../../../shared/limit/subject.ts';
import { windowsAt } from '../../../shared/limit/windows.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { endpoint, limitedClient, noon } from '../../support/rate-limit/limited-client.ts';

let tables: TestTables;
beforeEach(async () => {
  tables = await createTables(['clients', 'rate_counters']);
});
afterEach(() => tables.drop());

const newClient = () => limitedClient(tables);

it('what is used of a limit is what the limiter has counted', async () => {
  const clientId = await newClient();
  const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 1_000_000 };
  const limiter = rateLimiter({
    counters: countersIn(tables.dynamo, tables.names.rate_counters),
    limitsOf: async () => limits,
  });
  const subject = { kind: 'client', clientId } as const;
  await Promise.all(Array.from({ length: 30 }, () => limiter.check(subject, 'sms_send', noon)));
  const windows = windowsAt(noon);
  const counters = countersIn(tables.dynamo, tables.names.rate_counters);
  const row = await readCounts(counters, counterKey(subject, endpoint, windows.day));
  const used = (at: Date) => {
    const { attributes } = windowsAt(at);
    return [attributes.minute, attributes.hour, attributes.day].map((name) => countIn(row, name));
  };
  expect(used(noon)).toEqual([30, 30, 30]);
  expect(used(addSeconds(noon, 60))).toEqual([0, 30, 30]);
});
