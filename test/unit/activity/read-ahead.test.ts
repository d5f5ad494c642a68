/** Entries that are read ahead: the same pages, in fewer calls. */
import { expect, it } from '@jest/globals';
import { dynamoActivityReader } from '../../../shared/activity/activity-log.dynamo.ts';
import {
  type Activity,
  type ActivityPage,
  type ActivityQuery,
  readAhead,
} from '../../../shared/activity/activity-log.ts';
import { addActivity } from '../../../shared/activity/write-activity.dynamo.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

const since = new Date('2026-11-20T10:00:00.000Z');
const until = new Date('2026-11-20T11:00:00.000Z');

async function logOf(count: number) {
  const { dynamo, names } = inMemoryTables();
  const log = { db: dynamo, tableName: names.activity_log, retentionDays: 30 };
  const reader = dynamoActivityReader(dynamo, names.activity_log);
  const entries = Array.from({ length: count }, (_, i): Activity => {
    const at = new Date(since.getTime() + i * 1000);
    const entry_id = derivedIdAt('act', at, String(i));
    return { entry_id, kind: 'webhook_failed', at: at.toISOString(), summary: '', client_id: 'client-a' };
  });
  for (const entry of entries) await addActivity(log, entry);
  let calls = 0;
  const list = async (query: ActivityQuery): Promise<ActivityPage> => {
    calls += 1;
    return reader.list(query);
  };
  return { list, calls: () => calls, ids: entries.map(({ entry_id }) => entry_id).toReversed() };
}

async function pagesOf(
  list: (query: ActivityQuery) => Promise<ActivityPage>,
  limit: number,
  cursor?: string,
) {
  const pages: string[][] = [];
  for (let next = cursor; ; ) {
    const page = await list({ clientId: 'client-a', since, until, limit, cursor: next });
    pages.push(page.entries.map(({ entry_id }) => entry_id));
    next = page.nextCursor;
    if (next === undefined) return pages;
  }
}

it.each([
  // entries, of a page, ahead, calls
  [0, 50, 1000, 1],
  [49, 50, 1000, 1],
  [50, 50, 1000, 1],
  [730, 50, 1000, 1],
  [2400, 50, 1000, 3],
  [2400, 70, 1000, 3],
  // Full pages: only one more call shows that nothing follows.
  [300, 100, 30, 4],
])(
  '%i entries in pages of %i, %i ahead: each once, in order, in %i calls',
  async (count, limit, ahead, calls) => {
    const log = await logOf(count);
    const pages = await pagesOf(readAhead(log, ahead).list, limit);
    expect(pages.flat()).toEqual(log.ids);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    expect(log.calls()).toBe(calls);
  },
);

it('reads anew from a position other than the one after the last page', async () => {
  const log = await logOf(200);
  const { list } = readAhead(log, 1000);
  const query = { clientId: 'client-a', since, until, limit: 50 };
  await list(query);
  const elsewhere = await list({ ...query, cursor: log.ids[99] });
  expect(elsewhere.entries[0]?.entry_id).toBe(log.ids[100]);
  expect((await pagesOf(list, 50, log.ids[29])).flat()).toEqual(log.ids.slice(30));
});
