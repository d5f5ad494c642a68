/** Each change of a row of limits is an entry of the Activity Log, with the values before and after, as the stream tells it. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readActivity } from '../../../../shared/activity/activity-log.dynamo.ts';
import type { Activity } from '../../../../shared/activity/write-activity.dynamo.ts';
import { readRowChanges, recordRowChanges } from '../../../../shared/edited-table/record-row-changes.ts';
import { changedByMark, type EditedRow } from '../../../../shared/edited-table/row-editor.dynamo.ts';
import { overrideTable } from '../../../../shared/limit/overrides.ts';
import type { StreamRecord } from '../../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../../shared/platform/clock.ts';
import { createTables } from '../../../support/engine/tables.ts';
import { testContext } from '../../../support/engine/test-context.ts';
import type { TestTables } from '../../../support/engine/test-tables.ts';
import { endpoint, limitedClient, noon } from '../../../support/rate-limit/limited-client.ts';

let tables: TestTables;
beforeEach(async () => {
  tables = await createTables(['clients', 'activity_log']);
});
afterEach(() => tables.drop());

const newClient = () => limitedClient(tables);

const changesIn = (records: readonly StreamRecord[]) => readRowChanges(records, overrideTable);
const recordAll = (records: readonly StreamRecord[]) =>
  recordRowChanges(testContext(tables), changesIn(records), overrideTable);

describe('the records of the stream', () => {
  const record = (eventID: string, before?: EditedRow, after?: EditedRow, at = noon): StreamRecord => ({
    eventID,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at.getTime() / 1000),
      ...(before === undefined ? {} : { OldImage: marshall(before) }),
      ...(after === undefined ? {} : { NewImage: marshall(after) }),
    },
  });
  const entriesOf = async (clientId: string): Promise<readonly Activity[]> => {
    const since = addSeconds(noon, -3600);
    const { entries } = await readActivity(testContext(tables), {
      ...{ clientId, since, until: addSeconds(noon, 3600), limit: 100 },
    });
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
      `Someone removed the row of ${endpoint} directly in the table: it no longer has an effect`,
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

function manyAttributes(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute_${index}`, index]));
}
