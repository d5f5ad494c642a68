import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dynamoActivityLog, dynamoActivityReader } from '../../../../shared/activity/activity-log.dynamo.ts';
import type { Activity } from '../../../../shared/activity/activity-log.ts';
import { dynamoExistingClients } from '../../../../shared/client/client-store.dynamo.ts';
import { changedByMark } from '../../../../shared/edited-table/edited-row.ts';
import type { FeedbackStore } from '../../../../shared/edited-table/feedback.ts';
import { dynamoFeedbackStore } from '../../../../shared/edited-table/feedback-store.dynamo.ts';
import { readRowChanges, recordRowChanges } from '../../../../shared/edited-table/record-row-changes.ts';
import { rateLimiter } from '../../../../shared/limit/limiter.ts';
import { type OverrideRow, overrideTable } from '../../../../shared/limit/override-row.ts';
import { dynamoRateCounter, dynamoRateUse } from '../../../../shared/limit/rate-counter.dynamo.ts';
import { reviewAll, reviewClients, reviewExpired } from '../../../../shared/limit/review-limits.ts';
import { counterKey } from '../../../../shared/limit/shards.ts';
import { windowsAt } from '../../../../shared/limit/windows.ts';
import type { StreamRecord } from '../../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../../shared/platform/clock.ts';
import { dynamoDueItemIndex } from '../../../../shared/recovery/due-item-index.dynamo.ts';
import { createTables } from '../../../support/engine/tables.ts';
import type { TestTables } from '../../../support/engine/test-tables.ts';

const noon = new Date('2026-11-20T12:00:05.000Z');
const endpoint = 'POST /api/v1/sms/send';

let tables: TestTables;
let clients = 0;
let now = noon;

beforeEach(async () => {
  tables = await createTables(['limit_overrides', 'clients', 'activity_log', 'rate_counters', 'due_items']);
});
afterEach(() => tables.drop());

async function newClient(): Promise<string> {
  clients += 1;
  const client_id = `client_${clients}`;
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.clients, Item: { client_id } }));
  return client_id;
}

const put = async (Item: Record<string, unknown>) => {
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.limit_overrides, Item }));
};
const rowOf = async (client_id: string, of = endpoint): Promise<OverrideRow | undefined> => {
  const Key = { client_id, endpoint: of };
  const { Item } = await tables.dynamo.send(
    new GetCommand({ TableName: tables.names.limit_overrides, Key, ConsistentRead: true }),
  );
  return Item;
};
const remove = (client_id: string) =>
  tables.dynamo.send(
    new DeleteCommand({ TableName: tables.names.limit_overrides, Key: { client_id, endpoint } }),
  );

type Store = FeedbackStore<Readonly<Record<string, AttributeValue>>>;

const dependencies = (change: (store: Store) => Partial<Store> = () => ({})) => {
  const store = dynamoFeedbackStore(tables.dynamo, tables.names.limit_overrides, overrideTable);
  return {
    store: { ...store, ...change(store) },
    existingClients: dynamoExistingClients(tables.dynamo, tables.names.clients),
    capDefaults: {},
    currency: 'USD',
    dueItemIndex: dynamoDueItemIndex(tables.dynamo, tables.names.due_items),
    budgetMs: 40_000,
    clock: () => now,
  };
};

const changesIn = (records: readonly StreamRecord[]) => readRowChanges(records, overrideTable);
const recordAll = (records: readonly StreamRecord[]) =>
  recordRowChanges(
    dynamoActivityLog(tables.dynamo, tables.names.activity_log, 30),
    changesIn(records),
    overrideTable,
  );

describe('a review', () => {
  it('writes the feedback once: a repeated one writes nothing, and keeps its time', async () => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600, note: 'sale' });
    now = noon;
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 1 });
    const row = await rowOf(client_id);
    expect(row).toMatchObject({
      per_minute: 600,
      note: 'sale',
      status: 'active',
      status_message: expect.stringMatching(
        /^Active since 12:00:05: 600 per minute, 1,000 per hour \(default\)/,
      ),
    });
    now = addSeconds(noon, 3600);
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 0 });
    expect(await rowOf(client_id)).toEqual(row);
  });

  it('leaves a row deleted that was deleted meanwhile', async () => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600 });
    const deleting = dependencies(({ write }) => ({
      write: async (stored, feedback) => {
        await remove(client_id);
        return write(stored, feedback);
      },
    }));
    expect(await reviewClients(deleting, new Set([client_id]))).toMatchObject({ written: 0 });
    expect(await rowOf(client_id)).toBeUndefined();
  });

  it.each([
    ['another value', 'SET per_minute = :new', 7, /^Active since .*: 7 per minute/],
    ['an attribute that is misspelled', 'SET per_huor = :new', 7, /per_huor: there is no such attribute/],
    [
      'a number longer than a JavaScript number',
      'SET per_day = :new',
      BigInt('99999999999999999999999999'),
      /per_day: .* Write/,
    ],
  ])('judges a row again that was edited meanwhile: %s', async (_what, UpdateExpression, value, message) => {
    const client_id = await newClient();
    await put({ client_id, endpoint, per_minute: 600 });
    let edited = false;
    const editing = dependencies(({ write }) => ({
      write: async (stored, feedback) => {
        if (!edited) {
          edited = true;
          await tables.dynamo.send(
            new UpdateCommand({
              TableName: tables.names.limit_overrides,
              Key: { client_id, endpoint },
              UpdateExpression,
              ExpressionAttributeValues: { ':new': value },
            }),
          );
          // The newer edit has its own review, which may come first.
          await reviewClients(dependencies(), new Set([client_id]));
        }
        return write(stored, feedback);
      },
    }));
    await reviewClients(editing, new Set([client_id]));
    expect((await rowOf(client_id))?.status_message).toMatch(message);
  });

  it('takes every type that a person can enter, and a number of 38 digits', async () => {
    const client_id = await newClient();
    const typed: Record<string, AttributeValue> = {
      per_minute: { N: '12345678901234567890123456789012345678' },
      per_hour: { NS: ['1', '2'] },
      per_day: { B: new Uint8Array([1, 2]) },
      blocked: { NULL: true },
      expires_at: { M: { at: { S: 'x' } } },
      note: { L: [{ N: '1' }] },
    };
    await tables.dynamo.send(
      new PutItemCommand({
        TableName: tables.names.limit_overrides,
        Item: { ...marshall({ client_id, endpoint }), ...typed },
      }),
    );
    expect(await reviewClients(dependencies(), new Set([client_id]))).toMatchObject({ written: 1 });
    const { status, status_message } = (await rowOf(client_id)) ?? {};
    expect(status).toBe('invalid');
    for (const name of Object.keys(typed).filter((one) => one !== 'note')) {
      expect(status_message).toContain(`${name}: `);
    }
  });

  it('of all rows marks those that have expired, those of no client, and what a person did to the feedback', async () => {
    const client_id = await newClient();
    now = noon;
    await put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, 60).toISOString() });
    await put({ client_id: 'client_nobody', endpoint, per_minute: 5 });
    const other = await newClient();
    await put({ client_id: other, endpoint, per_minute: 5, status: 'paused', status_message: 'Please.' });
    await reviewAll(dependencies());
    expect(await rowOf(client_id)).toMatchObject({ status: 'active' });
    expect(await rowOf(other)).toMatchObject({ status: 'active' });
    expect(await rowOf('client_nobody')).toMatchObject({
      status: 'invalid',
      status_message: 'client_id: there is no client "client_nobody", so the row has no effect.',
    });
    now = addSeconds(noon, 60);
    await reviewAll(dependencies());
    expect(await rowOf(client_id)).toMatchObject({
      status: 'expired',
      status_message: expect.stringMatching(
        /^Expired at 2026-11-20T12:01:05Z: .* Now in force: 60 per minute/,
      ),
    });
  });

  it('each minute reads only clients of which a row has expired, and each of these rows once', async () => {
    const names = ['POST /api/v1/otp/send', 'POST /api/v1/otp/verify', 'POST /api/v1/whatsapp/send'];
    const ids = [await newClient(), await newClient(), await newClient()];
    const [soon = '', later = '', hidden = ''] = ids;
    now = noon;
    for (const client_id of ids)
      for (const name of names) await put({ client_id, endpoint: name, per_minute: 5 });
    const expiring = (client_id: string, seconds: number) =>
      put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, seconds).toISOString() });
    await expiring(soon, 90);
    // So late that a later whole review finds it.
    await expiring(later, 10_800);
    // By a change, as the stream tells it; the others by a whole review.
    await expiring(hidden, 90);
    await reviewClients(dependencies(), new Set([hidden]));
    await reviewAll(dependencies());
    const asked: string[] = [];
    const run = () => {
      asked.length = 0;
      const counted = dependencies(({ rowsOf }) => ({
        rowsOf: async (clientId) => {
          asked.push(clientId);
          return rowsOf(clientId);
        },
        allRows: async () => {
          throw new Error('all rows are read');
        },
      }));
      return reviewExpired(counted);
    };
    now = addSeconds(noon, 89);
    expect(await run()).toEqual({ rows: 0, written: 0 });
    now = addSeconds(noon, 106);
    expect(await run()).toMatchObject({ written: 2 });
    expect(new Set(asked)).toEqual(new Set([soon, hidden, '*']));
    expect((await rowOf(soon))?.status).toBe('expired');
    expect((await rowOf(hidden))?.status).toBe('expired');
    expect(await run()).toEqual({ rows: 0, written: 0 });
    now = addSeconds(noon, 7200);
    await reviewAll(dependencies());
    now = addSeconds(noon, 10_800);
    expect(await run()).toMatchObject({ written: 1 });
    expect((await rowOf(later))?.status).toBe('expired');
  });

  it('that fails for an expired row is repeated by the next run', async () => {
    const client_id = await newClient();
    now = noon;
    await put({ client_id, endpoint, per_minute: 5, expires_at: addSeconds(noon, 60).toISOString() });
    await reviewClients(dependencies(), new Set([client_id]));
    now = addSeconds(noon, 60);
    const failing = dependencies(() => ({
      write: async () => {
        throw new Error('throttled');
      },
    }));
    await expect(reviewExpired(failing)).rejects.toThrow('some expired limits could not be reviewed');
    expect((await rowOf(client_id))?.status).toBe('active');
    await reviewExpired(dependencies());
    expect((await rowOf(client_id))?.status).toBe('expired');
  });

  it('of a row for every client also reviews rows that have expired, whose effect it changes', async () => {
    const client_id = await newClient();
    const bulk = 'POST /api/v1/sms/bulk';
    now = noon;
    await put({ client_id, endpoint: bulk, per_minute: 5, expires_at: '2026-11-01' });
    await reviewClients(dependencies(), new Set([client_id]));
    expect((await rowOf(client_id, bulk))?.status_message).toMatch(/Now in force: 10 per minute \(default\)/);
    await put({ client_id: '*', endpoint: bulk, per_minute: 3 });
    await reviewClients(dependencies(), new Set(['*']));
    expect((await rowOf(client_id, bulk))?.status_message).toMatch(
      /Now in force, by the row of client_id \*: 3 per minute/,
    );
    expect((await rowOf('*', bulk))?.status_message).toMatch(/It applies to every client/);
  });

  it('that ends after any of its writes is completed by the next one', async () => {
    const client_id = await newClient();
    const names = [endpoint, 'POST /api/v1/sms/bulk', 'spend', 'messages', 'POST /api/v1/otp/snd'];
    for (const name of names) await put({ client_id, endpoint: name, per_day: 5 });
    for (let allowed = 0; allowed < names.length; allowed += 1) {
      let writes = 0;
      const dying = dependencies(({ write }) => ({
        write: async (stored, feedback) => {
          writes += 1;
          if (writes > 1) throw new Error('the process ended');
          return write(stored, feedback);
        },
      }));
      await reviewClients(dying, new Set([client_id])).catch(() => undefined);
    }
    await reviewClients(dependencies(), new Set([client_id]));
    for (const name of names) expect((await rowOf(client_id, name))?.status).toMatch(/active|invalid/);
  });
});

describe('the records of the stream', () => {
  const record = (eventID: string, before?: OverrideRow, after?: OverrideRow, at = noon): StreamRecord => ({
    eventID,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at.getTime() / 1000),
      ...(before === undefined ? {} : { OldImage: marshall(before) }),
      ...(after === undefined ? {} : { NewImage: marshall(after) }),
    },
  });
  const entriesOf = async (clientId: string): Promise<readonly Activity[]> => {
    const reader = dynamoActivityReader(tables.dynamo, tables.names.activity_log);
    const since = addSeconds(noon, -3600);
    const { entries } = await reader.list({ clientId, since, until: addSeconds(noon, 3600), limit: 100 });
    return entries;
  };

  it('become one entry each, with the values before and after, however often they come', async () => {
    const client_id = await newClient();
    const row = { client_id, endpoint, per_minute: 5, status: 'active', status_message: 'Active.' };
    const records = [
      record('e1', undefined, { client_id, endpoint, per_minute: 5 }),
      record('e2', { client_id, endpoint, per_minute: 5 }, row),
      record('e3', row, { ...row, per_minute: 'many' }, addSeconds(noon, 1)),
      record('e4', { ...row, per_minute: 'many' }, undefined, addSeconds(noon, 2)),
    ];
    // The batch comes again as a whole after a crash, and in parts.
    for (const batch of [records.slice(0, 2), records, records.slice(2), records]) {
      await recordAll(batch);
    }
    const entries = await entriesOf(client_id);
    expect(entries.map(({ kind, before, after, actor }) => ({ kind, before, after, actor }))).toEqual([
      { kind: 'limits_removed', before: { endpoint, per_minute: 'many' }, after: { endpoint } },
      { kind: 'limits_set', before: { endpoint, per_minute: 5 }, after: { endpoint, per_minute: 'many' } },
      { kind: 'limits_set', before: { endpoint }, after: { endpoint, per_minute: 5 } },
    ]);
    expect(entries[0]?.summary).toBe(
      `Someone removed the row of ${endpoint} directly in the table: it has no effect any more`,
    );
  });

  it('of the gateway itself are no changes, but a removed feedback is written again', () => {
    const row = { client_id: 'c', endpoint, per_minute: 5 };
    const judged = { ...row, status: 'active', status_message: 'Active.' };
    const changes = changesIn([
      record('e1', row, judged),
      record('e2', judged, { ...judged, status: 'invalid' }),
      record('e3', judged, { ...judged, changed_by: 'somebody (removal)' }),
      record('e4', judged, row),
    ]);
    expect(changes).toMatchObject([{ eventId: 'e4', edited: false }]);
  });

  it.each([
    ['a change', false],
    ['a deletion', true],
  ])('name who made %s by a tool, but not who made an earlier one', async (_what, removal) => {
    const client_id = await newClient();
    const at = addSeconds(noon, -1);
    const row = { client_id, endpoint, per_minute: 5, status: 'active' };
    const marked = { ...row, per_minute: 6, changed_by: changedByMark('client_admin', at, removal) };
    const old = { ...row, changed_by: changedByMark('client_old', addSeconds(noon, -600), removal) };
    await recordAll([
      removal ? record('t1', marked) : record('t1', row, marked),
      removal ? record('t2', old) : record('t2', old, { ...old, per_minute: 7 }),
      // The console's "Duplicate item" copies the mark.
      record('t3', undefined, { ...old, per_minute: 8 }),
    ]);
    const actors = (await entriesOf(client_id)).map(({ actor }) => actor);
    expect(actors.filter((actor) => actor !== undefined)).toEqual(['client_admin']);
    expect(actors).toHaveLength(3);
  });

  it('of a number too large to be exact, and of any other type, become an entry', async () => {
    const client_id = await newClient();
    const NewImage: Record<string, AttributeValue> = {
      ...marshall({ client_id, endpoint }),
      per_day: { N: '9'.repeat(38) },
      per_hour: { N: '-1e125' },
      per_minute: { NS: ['1', '9'.repeat(38)] },
      blocked: { M: { by: { L: [{ N: '9'.repeat(38) }, { NULL: true }] } } },
      note: { B: new Uint8Array([0, 255]) },
    };
    const dynamodb = { ApproximateCreationDateTime: noon.getTime() / 1000, NewImage };
    await recordAll([{ eventID: 'types', dynamodb }]);
    expect(await entriesOf(client_id)).toMatchObject([{ after: { per_day: '1e+38' } }]);
  });

  it('of a row as large as a row can be become an entry', async () => {
    const client_id = await newClient();
    const after = { client_id, endpoint, note: 'x'.repeat(300_000), ...manyAttributes(500) };
    await recordAll([record('large', undefined, after)]);
    expect(await entriesOf(client_id)).toHaveLength(1);
  });
});

it('what is used of a limit is the sum over all shards that the limiter counts in', async () => {
  const clientId = await newClient();
  const limits = { perMinute: 100_000, perHour: 1_000_000, perDay: 1_000_000 };
  const limiter = rateLimiter({
    counter: dynamoRateCounter(tables.dynamo, tables.names.rate_counters),
    limitsOf: async () => limits,
    random: Math.random,
  });
  const subject = { kind: 'client', clientId } as const;
  await Promise.all(Array.from({ length: 30 }, () => limiter.check(subject, 'sms_send', noon)));
  const windows = windowsAt(noon);
  const use = dynamoRateUse(tables.dynamo, tables.names.rate_counters);
  const base = counterKey(subject, endpoint, windows.day);
  expect(await use(base, windows)).toEqual({ minute: 30, hour: 30, day: 30 });
  const later = addSeconds(noon, 60);
  expect(await use(base, windowsAt(later))).toEqual({ minute: 0, hour: 30, day: 30 });
  // Other rows count after a change, and the sum stays.
  const lowered = rateLimiter({
    counter: dynamoRateCounter(tables.dynamo, tables.names.rate_counters),
    limitsOf: async () => ({ ...limits, perMinute: 60 }),
    random: Math.random,
  });
  for (let i = 0; i < 3; i += 1) await lowered.check(subject, 'sms_send', later);
  expect(await use(base, windowsAt(later))).toEqual({ minute: 3, hour: 33, day: 33 });
});

function manyAttributes(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute_${index}`, index]));
}
