import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActivityQuery, readActivity } from '../../../shared/activity/activity-log.dynamo.ts';
import { type Activity, addActivity } from '../../../shared/activity/write-activity.dynamo.ts';
import { derivedIdAt } from '../../../shared/platform/ids.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const kinds = ['webhook_failed', 'limits_set', 'api_key_created'] as const;
const clients = ['client-a', 'client-b'];
const actors = ['admin-a', 'admin-b', 'admin-c', 'admin-d', 'admin-e'];
const since = new Date('2026-11-10T00:00:00.000Z');
const until = new Date('2026-11-20T23:59:59.999Z');

/** One entry every five hours: several on each of ten days, of each kind and client. */
const entries = Array.from({ length: 48 }, (_, i): Activity => {
  const at = new Date(since.getTime() + i * 5 * 3_600_000);
  const kind = kinds[i % kinds.length] ?? 'limits_set';
  return {
    entry_id: derivedIdAt('act', at, kind, String(i)),
    kind,
    at: at.toISOString(),
    summary: `entry ${i}`,
    client_id: clients[i % clients.length] ?? '',
    ...(kind === 'webhook_failed' ? {} : { actor: actors[i % actors.length] ?? '' }),
  };
});
const newestFirst = entries.toReversed();

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['activity_log']);
  await Promise.all(entries.map((entry) => addActivity(testContext(tables), entry)));
});
afterAll(() => tables.drop());

/** Every page of a query, one after the other. */
async function all(query: Partial<ActivityQuery>, limit: number): Promise<Activity[]> {
  const found: Activity[] = [];
  let cursor: string | undefined;
  do {
    const page = await readActivity(testContext(tables), { since, until, limit, cursor, ...query });
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    found.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe.each([1, 7, 48])('the pages of the activity log, %d entries each', (limit) => {
  it.each([
    {},
    { clientId: 'client-b' },
    { kind: 'limits_set' },
    { kind: ['limits_set', 'api_key_created'] },
  ] as const)('of one actor have what that actor did: %j', async (query) => {
    const actor = 'admin-b';
    const ofQuery = await all(query, 48);
    expect(await all({ ...query, actor }, limit)).toEqual(ofQuery.filter((entry) => entry.actor === actor));
    expect(ofQuery.some((entry) => entry.actor === actor)).toBe(true);
  });

  it('have every entry once, newest first', async () => {
    expect(await all({}, limit)).toEqual(newestFirst);
  });

  it('have those of a client, of a kind, and of both', async () => {
    const ofClient = newestFirst.filter(({ client_id }) => client_id === 'client-a');
    expect(await all({ clientId: 'client-a' }, limit)).toEqual(ofClient);
    for (const kind of kinds) {
      expect(await all({ kind }, limit)).toEqual(newestFirst.filter((entry) => entry.kind === kind));
      const ofOne = ofClient.filter((entry) => entry.kind === kind);
      expect(await all({ clientId: 'client-a', kind }, limit)).toEqual(ofOne);
    }
    const some = ['webhook_failed', 'limits_set'] as const;
    expect(await all({ kind: some }, limit)).toEqual(
      newestFirst.filter(({ kind }) => kind !== 'api_key_created'),
    );
    const ofBoth = ofClient.filter(({ kind }) => kind === 'limits_set');
    expect(await all({ clientId: 'client-a', kind: 'limits_set' }, limit)).toEqual(ofBoth);
    const two = ['limits_set', 'api_key_created'] as const;
    const ofTwo = ofClient.filter(({ kind }) => kind !== 'webhook_failed');
    expect(await all({ clientId: 'client-a', kind: two }, limit)).toEqual(ofTwo);
  });

  it('have those between two times, both included, and none where the end is before the start', async () => {
    const [from, to] = [new Date(entries[10]?.at ?? ''), new Date(entries[30]?.at ?? '')];
    const between = newestFirst.slice(-31, -10);
    expect(await all({ since: from, until: to }, limit)).toEqual(between);
    expect(await all({ since: to, until: from }, limit)).toEqual([]);
  });
});

it('a row that is invalid, or of a kind that a later release added, hides no other', async () => {
  const client_id = 'client-odd';
  // Not in the range of the other tests.
  const at = '2026-10-12T10:00:00.000Z';
  const entry = (of: string) => ({
    entry_id: derivedIdAt('act', new Date(at), of),
    kind: 'limits_set',
    at,
    summary: of,
    client_id,
  });
  const log = testContext(tables);
  await addActivity(log, entry('good') as Activity);
  await addActivity(log, { ...entry('later'), kind: 'added_later' } as never);
  await addActivity(log, { ...entry('wrong'), summary: 5 } as never);
  const found = await all({ clientId: client_id, since: new Date('2026-10-01T00:00:00.000Z') }, 10);
  expect(found.map(({ summary }) => summary)).toEqual(['good']);
});
