import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dynamoAgenda } from '../../shared/agenda/agenda.dynamo.ts';
import { type Agenda, type AgendaEntry, agendaShards, gathered } from '../../shared/agenda/agenda.ts';
import { addSeconds } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { memoryAgenda } from '../support/memory-agenda.ts';
import { createTables, type TestTables } from '../support/tables.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let tables: TestTables;
// One for each test: a row that a test broke on purpose must not reach another.
beforeEach(async () => {
  tables = await createTables(['agenda']);
});
afterEach(() => tables.drop());

const newIds = (count: number) => Array.from({ length: count }, () => newId('msg', start));

async function due(agenda: Agenda, until: Date): Promise<AgendaEntry[]> {
  const found: AgendaEntry[] = [];
  for (let shard = 0; shard < agendaShards; shard += 1)
    for await (const entry of agenda.due('messages', shard, until)) found.push(entry);
  return found;
}

describe.each<[string, () => Agenda]>([
  ['in memory', memoryAgenda],
  ['in the table', () => dynamoAgenda(tables.dynamo, tables.names.agenda)],
])('an agenda %s', (_where, newAgenda) => {
  it('shows a row from its time on until it is taken out, and never before', async () => {
    const agenda = newAgenda();
    const [id = ''] = newIds(1);
    const dueAt = addSeconds(start, 60);
    await agenda.add('messages', [{ id, dueAt }]);
    await agenda.add('messages', [{ id, dueAt }]);
    const mine = async (until: Date) => (await due(agenda, until)).filter((entry) => entry.ids.includes(id));
    expect(await mine(addSeconds(dueAt, -0.001))).toEqual([]);
    const [entry, ...more] = await mine(dueAt);
    expect(more).toEqual([]);
    await agenda.remove([entry as AgendaEntry]);
    expect(await mine(addSeconds(dueAt, 1000))).toEqual([]);
  });

  it('keeps its lists apart', async () => {
    const agenda = newAgenda();
    const [id = ''] = newIds(1);
    await agenda.add('deliveries', [{ id, dueAt: start }]);
    expect((await due(agenda, start)).flatMap((entry) => entry.ids)).not.toContain(id);
  });

  it('shows everything of a list that is longer than a page, oldest first in each shard', async () => {
    const agenda = newAgenda();
    const rows = newIds(1000).map((id, i) => ({ id, dueAt: addSeconds(start, 20 * i) }));
    await agenda.add('messages', rows);
    const shown = await due(agenda, addSeconds(start, 20_000));
    const ids = new Set(shown.flatMap((entry) => entry.ids));
    expect(rows.filter(({ id }) => !ids.has(id))).toEqual([]);
    for (const list of new Set(shown.map((entry) => entry.list))) {
      const positions = shown.filter((entry) => entry.list === list).map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted());
    }
    await agenda.remove(shown);
    expect(await due(agenda, addSeconds(start, 20_000))).toEqual([]);
  });
});

it('an entry that somebody broke by hand keeps none of the others from being shown, and is told of', async () => {
  const agenda = dynamoAgenda(tables.dynamo, tables.names.agenda);
  const broken = { list: 'messages#0', position: `${start.toISOString()}#a`, ids: 7 };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.agenda, Item: broken }));
  const good = { list: 'messages#0', position: `${start.toISOString()}#b`, ids: ['b'] };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.agenda, Item: good }));
  const shown: AgendaEntry[] = [];
  const reading = async () => {
    for await (const entry of agenda.due('messages', 0, start)) shown.push(entry);
  };
  await expect(reading()).rejects.toThrow('1 entries of the agenda cannot be read');
  expect(shown).toEqual([good]);
  // The other tests read the same table, in whatever order they come.
  await agenda.remove([{ ...broken, ids: [] }, good]);
});

it('gathers every row once, none before its time nor more than 15 s after it, and keeps entries within a write unit', () => {
  const anAppointment = fc.record({
    id: fc.constantFrom('msg', 'whd').map((prefix) => newId(prefix as 'msg' | 'whd', start)),
    dueAt: fc.integer({ min: 0, max: 90 }).map((seconds) => addSeconds(start, seconds)),
  });
  fc.assert(
    fc.property(fc.array(anAppointment, { maxLength: 120 }), (appointments) => {
      const entries = gathered(appointments);
      const entered = entries.flatMap((entry) => entry.ids);
      expect(entered.toSorted()).toEqual(appointments.map(({ id }) => id).toSorted());
      for (const { id, dueAt } of appointments) {
        const entry = entries.find((candidate) => candidate.ids.includes(id));
        const lateMs = (entry?.dueAt.getTime() ?? Number.NaN) - dueAt.getTime();
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThanOrEqual(15_000);
      }
      for (const { ids: of, dueAt } of entries) {
        const row = { list: 'deliveries#0', position: `${dueAt.toISOString()}#${of[0]}`, ids: of };
        expect(JSON.stringify(row).length).toBeLessThan(1000);
      }
    }),
  );
});
