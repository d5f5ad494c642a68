/** What is used of a limit, as an administrator reads it, is what the limiter has counted. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { dynamoRateCounter, dynamoRateUse } from '../../../shared/limit/rate-counter.dynamo.ts';
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
    countInRow: dynamoRateCounter(tables.dynamo, tables.names.rate_counters),
    limitsOf: async () => limits,
  });
  const subject = { kind: 'client', clientId } as const;
  await Promise.all(Array.from({ length: 30 }, () => limiter.check(subject, 'sms_send', noon)));
  const windows = windowsAt(noon);
  const use = dynamoRateUse(tables.dynamo, tables.names.rate_counters);
  const base = counterKey(subject, endpoint, windows.day);
  expect(await use(base, windows)).toEqual({ minute: 30, hour: 30, day: 30 });
  const later = addSeconds(noon, 60);
  expect(await use(base, windowsAt(later))).toEqual({ minute: 0, hour: 30, day: 30 });
});
