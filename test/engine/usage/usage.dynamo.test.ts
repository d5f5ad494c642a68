import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoUsageCounter, dynamoUsageReader } from '../../../shared/usage/usage.dynamo.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['usage']);
});
afterAll(() => tables.drop());

it('counts of all functions add up by hour, and hours without any are left out', async () => {
  const counter = dynamoUsageCounter(tables.dynamo, tables.names.usage);
  const reader = dynamoUsageReader(tables.dynamo, tables.names.usage);
  const [first, later] = [new Date('2026-11-20T10:00:00.000Z'), new Date('2026-11-20T10:59:59.999Z')];
  await Promise.all([
    counter.add({ messages_sent: 2, webhooks_failed: 1 }, first),
    counter.add({ messages_sent: 3, messages_failed: 0 }, later),
    counter.add({ messages_sent: 7 }, new Date('2026-11-20T11:00:00.000Z')),
    counter.add({}, new Date('2026-11-20T12:00:00.000Z')),
  ]);
  // More than one read takes.
  const others = Array.from({ length: 150 }, (_, i) => `2025-01-01T${i}`);
  const hours = await reader.hours([...others, '2026-11-20T10', '2026-11-20T11', '2026-11-20T12']);
  expect(hours.toSorted((a, b) => a.hour.localeCompare(b.hour))).toEqual([
    { hour: '2026-11-20T10', counts: { messages_sent: 5, webhooks_failed: 1 } },
    { hour: '2026-11-20T11', counts: { messages_sent: 7 } },
  ]);
});
