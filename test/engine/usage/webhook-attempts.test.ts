import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoAttemptCounter, dynamoAttemptReader } from '../../../shared/usage/webhook-attempts.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['usage']);
});
afterAll(() => tables.drop());

it('counts of all functions add up by hour, and hours without any are left out', async () => {
  const counter = dynamoAttemptCounter(tables.dynamo, tables.names.usage);
  const reader = dynamoAttemptReader(tables.dynamo, tables.names.usage);
  const [first, later] = [new Date('2026-11-20T10:00:00.000Z'), new Date('2026-11-20T10:59:59.999Z')];
  await Promise.all([
    counter.add({ webhooks_acknowledged: 2, webhooks_failed: 1 }, first),
    counter.add({ webhooks_acknowledged: 3, webhooks_retry_scheduled: 0 }, later),
    counter.add({ webhooks_acknowledged: 7 }, new Date('2026-11-20T11:00:00.000Z')),
    counter.add({}, new Date('2026-11-20T12:00:00.000Z')),
  ]);
  // More than one read takes.
  const others = Array.from({ length: 150 }, (_, i) => `2025-01-01T${i}`);
  const hours = await reader.hours([...others, '2026-11-20T10', '2026-11-20T11', '2026-11-20T12']);
  expect(hours.toSorted((a, b) => a.hour.localeCompare(b.hour))).toEqual([
    { hour: '2026-11-20T10', counts: { webhooks_acknowledged: 5, webhooks_failed: 1 } },
    { hour: '2026-11-20T11', counts: { webhooks_acknowledged: 7 } },
  ]);
});
