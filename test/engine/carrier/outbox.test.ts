/** Every hand-over that the simulator took can be read again, newest first, and none hides another. */

import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dynamoOutbox,
  type Outbox,
  type OutboxEntry,
} from '../../../shared/carrier/simulator/outbox.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
let outbox: Outbox;

beforeAll(async () => {
  tables = await createTables(['simulator_outbox']);
  outbox = dynamoOutbox(tables.dynamo, tables.names.simulator_outbox, 30);
});

afterAll(() => tables.drop());

function entry(to: string, messageId: string, at: string): OutboxEntry {
  return { message_id: messageId, channel: 'sms', to, body: `Hello from ${messageId}`, at };
}

const record = (row: OutboxEntry, attempt: number, carrierId: string, client_id = 'client_1') =>
  outbox.record({ ...row, client_id }, attempt, carrierId);

const listed = async (of: Parameters<Outbox['page']>[0], limit: number) =>
  (await outbox.page(of, { limit })).entries;

it('is read to its end page by page, of one recipient and of all days, none twice and none left out', async () => {
  const to = '+447700900010';
  const rows = Array.from({ length: 11 }, (_, index) =>
    entry(to, `msg_${String(index).padStart(2, '0')}`, `2025-05-0${1 + Math.floor(index / 4)}T10:00:00.000Z`),
  );
  for (const row of rows) await record(row, 1, `carrier-${row.message_id}`);
  const days = ['2025-05-04', '2025-05-03', '2025-05-02', '2025-05-01'];
  for (const partition of [{ to }, { days }]) {
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const { entries, next } = await outbox.page(partition, { limit: 3, before });
      expect(entries.length).toBeLessThanOrEqual(3);
      seen.push(...entries.map(({ message_id }) => message_id));
      before = next;
    } while (before !== undefined && seen.length < 100);
    expect(seen).toEqual(rows.map(({ message_id }) => message_id).toReversed());
  }
});

it.each([
  ['body', 1, '2026-11-21'],
  ['at', 'today', '2026-11-22'],
])(
  'leaves out what a person made invalid (%s), on whatever page it is, and nothing else',
  async (name, value, day) => {
    const to = `+4477009001${day.slice(-2)}`;
    const rows = ['08', '09', '10'].map((hour) => entry(to, `msg_of_${hour}`, `${day}T${hour}:00:00.000Z`));
    for (const row of rows) await record(row, 1, `carrier-${row.message_id}`);
    const Key = { recipient: to, handed_over: `${day}T09:00:00.000Z#msg_of_09#1#carrier-msg_of_09` };
    const UpdateExpression = 'SET #name = :value';
    const ExpressionAttributeNames = { '#name': name };
    const ExpressionAttributeValues = { ':value': value };
    const TableName = tables.names.simulator_outbox;
    await tables.dynamo.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression,
        ExpressionAttributeNames,
        ExpressionAttributeValues,
      }),
    );
    for (const partition of [{ to }, { days: [day] }]) {
      const { entries, next } = await outbox.page(partition, { limit: 1 });
      expect(entries.map(({ message_id }) => message_id)).toEqual(['msg_of_10']);
      const rest = await outbox.page(partition, { limit: 1, before: next });
      expect(rest).toEqual({ entries: [rows[0]], next: undefined });
    }
  },
);

describe('of one recipient', () => {
  it('gives the messages newest first, with their bodies, and no more than asked for', async () => {
    const sent = ['08', '09', '10'].map((hour) =>
      entry('+447700900001', `msg_${hour}`, `2026-11-20T${hour}:00:00.000Z`),
    );
    for (const one of sent) await record(one, 1, `carrier-${one.message_id}`);
    expect(await listed({ to: '+447700900001' }, 10)).toEqual(sent.toReversed());
    expect(await listed({ to: '+447700900001' }, 2)).toEqual(sent.toReversed().slice(0, 2));
  });

  it('shows a hand-over twice that was made twice in the same millisecond', async () => {
    const doubled = { ...entry('+447700900002', 'msg_doubled', '2026-11-20T10:00:00.000Z'), from: 'ACME' };
    await record(doubled, 1, 'carrier-1');
    await record(doubled, 1, 'carrier-2');
    expect(await listed({ to: '+447700900002' }, 10)).toEqual([doubled, doubled]);
  });
});

describe('of everyone', () => {
  it('gives the days in the order asked for, each newest first, up to the limit', async () => {
    const rows = [
      entry('+447700900003', 'msg_a', '2025-03-01T10:00:00.000Z'),
      entry('+447700900004', 'msg_b', '2025-03-01T11:00:00.000Z'),
      entry('+447700900005', 'msg_c', '2025-03-02T09:00:00.000Z'),
    ];
    for (const row of rows) await record(row, 1, `carrier-${row.message_id}`);
    const days = ['2025-03-02', '2025-03-01', '2025-02-28'];
    expect((await listed({ days }, 10)).map((row) => row.message_id)).toEqual(['msg_c', 'msg_b', 'msg_a']);
    expect((await listed({ days }, 2)).map((row) => row.message_id)).toEqual(['msg_c', 'msg_b']);
  });
});

describe('of test data', () => {
  const to = '+447700900007';
  const clientId = 'client_1-test';
  const days = ['2024-03-02', '2024-03-01'];

  it('is of one client, apart from live messages and from other clients', async () => {
    const own = entry(to, 'msg_own', '2024-03-02T10:00:00.000Z');
    await record(own, 1, 'carrier-1', clientId);
    await record(entry(to, 'msg_other', '2024-03-02T10:00:00.000Z'), 1, 'carrier-2', 'client_2-test');
    await record(entry(to, 'msg_live', '2024-03-02T10:00:00.000Z'), 1, 'carrier-3', 'client_1');
    for (const partition of [{ to }, { days }]) {
      expect((await outbox.page(partition, { clientId, limit: 10 })).entries).toEqual([own]);
      const live = await outbox.page(partition, { limit: 10 });
      expect(live.entries.map(({ message_id }) => message_id)).toEqual(['msg_live']);
    }
  });

  it('ends at the time that is asked for, and is purged after a day', async () => {
    const clientId = 'client_3-test';
    const [before, after] = ['2024-03-01T09:59:59.000Z', '2024-03-01T10:00:01.000Z'];
    await record(entry(to, 'msg_old', before), 1, 'carrier-4', clientId);
    await record(entry(to, 'msg_new', after), 1, 'carrier-5', clientId);
    const since = new Date('2024-03-01T10:00:00.000Z');
    for (const partition of [{ to }, { days }]) {
      const { entries } = await outbox.page(partition, { clientId, since, limit: 10 });
      expect(entries.map(({ message_id }) => message_id)).toEqual(['msg_new']);
    }
    const { Item } = await tables.dynamo.send(
      new GetCommand({
        TableName: tables.names.simulator_outbox,
        Key: {
          recipient: `${clientId} ${to}`,
          handed_over: '2024-03-01T09:59:59.000Z#msg_old#1#carrier-4',
        },
      }),
    );
    expect(Item?.purge_at).toBe(Date.parse('2024-03-02T09:59:59.000Z') / 1000);
  });
});

it('is purged when the messages are', async () => {
  await record(entry('+447700900006', 'msg_kept', '2026-11-20T10:00:00.000Z'), 2, 'carrier-9');
  const { Item } = await tables.dynamo.send(
    new GetCommand({
      TableName: tables.names.simulator_outbox,
      Key: { recipient: '+447700900006', handed_over: '2026-11-20T10:00:00.000Z#msg_kept#2#carrier-9' },
    }),
  );
  expect(Item?.purge_at).toBe(Date.parse('2026-12-20T10:00:00.000Z') / 1000);
});
