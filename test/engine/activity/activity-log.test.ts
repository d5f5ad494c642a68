import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoActivityLog } from '../../../shared/activity/activity-log.dynamo.ts';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';

const retentionDays = 30;
let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['activity_log']);
});
afterAll(() => tables.drop());

const log = () => dynamoActivityLog(tables.dynamo, tables.names.activity_log, retentionDays);

function anEntry(of: string, at = '2026-11-20T23:59:59.999Z'): Activity {
  return {
    entry_id: derivedIdAt('act', new Date(at), 'webhook_failed', of),
    kind: 'webhook_failed',
    at,
    summary: 'sms.sent was not acknowledged after 6 attempts',
    client_id: `client-${of}`,
    delivery_id: `whd_${of}`,
  };
}

async function rowOf(entry: Activity, day: string): Promise<Record<string, unknown> | undefined> {
  const TableName = tables.names.activity_log;
  const Key = { day, entry_id: entry.entry_id };
  return (await tables.dynamo.send(new GetCommand({ TableName, Key }))).Item;
}

describe('the activity log in its table', () => {
  it('keeps an entry under its UTC day until its retention is over', async () => {
    const entry = anEntry('kept');
    await log().add(entry);
    const purge_at = Math.floor(Date.parse(entry.at) / 1000) + retentionDays * 86_400;
    expect(await rowOf(entry, '2026-11-20')).toEqual({ ...entry, day: '2026-11-20', purge_at });
  });

  it('has an entry once, however often it is written', async () => {
    const entry = anEntry('repeated');
    await Promise.all([log().add(entry), log().add(entry)]);
    const row = await rowOf(entry, '2026-11-20');
    await log().add(entry);
    expect(await rowOf(entry, '2026-11-20')).toEqual(row);
  });

  it('sorts entries by when they happened', () => {
    const times = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.001Z', '2026-11-21T00:00:00.000Z'];
    const ids = times.map((at, i) => anEntry(`sorted ${i}`, at).entry_id);
    expect(ids.toSorted()).toEqual(ids);
  });
});
