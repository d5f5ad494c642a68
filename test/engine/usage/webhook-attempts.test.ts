import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  attemptsIn,
  type CountedAttempt,
  countWebhookAttempts,
} from '../../../shared/usage/webhook-attempts.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['rate_counters']);
});
afterAll(() => tables.drop());

const count = (table: string, at: string, ...attempts: readonly CountedAttempt[]) => {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const context = testContext(tables, {
    clock: () => new Date(at),
    warn,
    env: { RATE_COUNTERS_TABLE: table },
  });
  return countWebhookAttempts(context, attempts).then(() => warnings);
};
const attempt = (metric: CountedAttempt['metric'], totalMs = 0): CountedAttempt => ({ metric, totalMs });

it('attempts of all functions add up by hour and mode, and hours without any are left out', async () => {
  const table = tables.names.rate_counters;
  await Promise.all([
    count(
      table,
      '2026-11-20T10:00:00.000Z',
      attempt('webhooks_acknowledged', 12.4),
      attempt('webhooks_acknowledged', 30),
      attempt('webhooks_failed', 5000.2),
    ),
    count(table, '2026-11-20T10:59:59.999Z', attempt('webhooks_acknowledged')),
    count(table, '2026-11-20T10:00:00.000Z', { ...attempt('webhooks_failed'), mode: 'test' }),
    count(table, '2026-11-20T11:00:00.000Z', attempt('webhooks_retry_scheduled')),
  ]);
  // More than one read takes.
  const others = Array.from({ length: 150 }, (_, i) => `2025-01-01T${i}`);
  const hours = await attemptsIn(testContext(tables), [
    ...others,
    '2026-11-20T10',
    '2026-11-20T11',
    '2026-11-20T12',
  ]);
  expect(hours.toSorted((a, b) => a.hour.localeCompare(b.hour))).toEqual([
    {
      hour: '2026-11-20T10',
      counts: { webhooks_acknowledged: 3, webhooks_failed: 1, webhooks_total_ms: 5042 },
    },
    { hour: '2026-11-20T11', counts: { webhooks_retry_scheduled: 1, webhooks_total_ms: 0 } },
  ]);
});

it('a count that fails is a warning', async () => {
  expect(await count('no-such-table', '2026-11-20T10:00:00.000Z', attempt('webhooks_failed'))).toEqual([
    'webhook attempts not counted',
  ]);
});
