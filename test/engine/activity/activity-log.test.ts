import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Activity,
  addActivity,
  rowOf as storedRow,
} from '../../../shared/activity/write-activity.dynamo.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const retentionDays = 30;
let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['activity_log']);
});
afterAll(() => tables.drop());

const add = (entry: Activity) =>
  addActivity(testContext(tables, { env: { RETENTION_DAYS: retentionDays } }), entry);

function anEntry(of: string, at = '2026-11-20T23:59:59.999Z'): Activity {
  return {
    entry_id: derivedIdAt('act', new Date(at), 'client_disabled', of),
    kind: 'client_disabled',
    at,
    summary: 'admin disabled the client',
    client_id: `client-${of}`,
  };
}

/** The values of the keys of the table and its indexes. */
const partitionsOf = (row: Record<string, unknown>) =>
  [row.day, row.kind, row.client_id].filter((key) => key !== undefined).map(String);

async function rowOf(entry: Activity, day: string): Promise<Record<string, unknown> | undefined> {
  const TableName = tables.names.activity_log;
  const Key = { day, entry_id: entry.entry_id };
  return (await tables.dynamo.send(new GetCommand({ TableName, Key }))).Item;
}

describe('the activity log in its table', () => {
  it('keeps an entry under its UTC day until its retention is over', async () => {
    const entry = anEntry('kept');
    await add(entry);
    const purge_at = Math.floor(Date.parse(entry.at) / 1000) + retentionDays * 86_400;
    expect(await rowOf(entry, '2026-11-20')).toEqual({ ...entry, day: '2026-11-20', purge_at });
  });

  it('spreads what grows with the messages, and never writes it to a partition of what somebody changed', async () => {
    const partitions = { failed: new Map<string, number>(), changed: new Set<string>() };
    const client_id = 'client-flooded';
    for (let n = 0; n < 80; n += 1) {
      const failed = storedRow({ ...anEntry(String(n)), kind: 'webhook_failed', client_id });
      const changed = storedRow({ ...anEntry(String(n)), kind: 'client_disabled', client_id });
      for (const key of partitionsOf(failed)) {
        partitions.failed.set(key, (partitions.failed.get(key) ?? 0) + 1);
      }
      for (const key of partitionsOf(changed)) partitions.changed.add(key);
    }
    expect([...partitions.failed.keys()].filter((key) => partitions.changed.has(key))).toEqual([]);
    // Of its client and of its kind: eight shards each, none with more than its share by far.
    expect(partitions.failed.size).toBe(16);
    expect(Math.max(...partitions.failed.values())).toBeLessThan(25);
    expect([...partitions.changed].toSorted()).toEqual(
      ['2026-11-20', client_id, 'client_disabled'].toSorted(),
    );
  });

  it('has an entry once, however often it is written', async () => {
    const entry = anEntry('repeated');
    await Promise.all([add(entry), add(entry)]);
    const row = await rowOf(entry, '2026-11-20');
    await add(entry);
    expect(await rowOf(entry, '2026-11-20')).toEqual(row);
  });

  it('sorts entries by when they happened', () => {
    const times = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.001Z', '2026-11-21T00:00:00.000Z'];
    const ids = times.map((at, i) => anEntry(`sorted ${i}`, at).entry_id);
    expect(ids.toSorted()).toEqual(ids);
  });
});
