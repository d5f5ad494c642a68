/** Each table that is restored, on the engine: what becomes of a row that was lost, changed, removed or made since the time. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keysOf } from '../../../bin/admin/restored-tables.ts';
import { type RestorableTable, restorableTables, ruleOf } from '../../../shared/restore/table-rows.dynamo.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { lostRows, type Row } from '../../support/restore/lost-rows.ts';

const to = new Date('2026-11-20T10:00:00.000Z');
const since = '2026-11-20T10:30:00.000Z';
const now = new Date('2026-11-20T11:00:00.000Z');
const seconds = (time: Date) => time.getTime() / 1000;

let stage: Awaited<ReturnType<typeof lostRows>>;
beforeEach(async () => {
  stage = await lostRows(() => now);
});
afterEach(() => stage.drop());

/** A row that differs from the others of its table by its keys. */
function rowOf(table: RestorableTable, name: string, more: Row = {}): Row {
  if (table === 'messages')
    return aMessage({ message_id: `msg_${name}`, status: 'sent', sent_at: to.toISOString(), ...more });
  if (table === 'webhook-deliveries') return { ...deliveryOf(name), state: 'acknowledged', ...more };
  const [partition = '', ...sort] = keysOf(table);
  const sorted = Object.fromEntries(sort.map((key) => [key, 'sort']));
  return { [partition]: name, ...sorted, note: 'at the time', ...more };
}

const deliveryOf = (name: string) =>
  newDelivery(
    {
      delivery_id: `whd_${name}`,
      client_id: 'client-a',
      message_id: `msg_${name}`,
      event: 'message.sent',
      url: 'https://endpoint.example.com/hook',
      body: '{}',
      lane: 'fast',
    },
    new Date('2026-11-20T09:00:00.000Z'),
    30,
    'r',
  );

/** As it is after a change that followed the time. */
const changed = (table: RestorableTable, row: Row): Row =>
  table === 'messages'
    ? { ...row, status: 'delivered', delivered_at: since }
    : { ...row, note: 'changed since' };

const without = (row: Row | undefined, ...names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !names.includes(name)));

async function loseAndChange(): Promise<void> {
  for (const table of restorableTables) {
    await stage.put(table, rowOf(table, 'lost'));
    await stage.put(table, rowOf(table, 'kept'));
    await stage.put(table, rowOf(table, 'over', { purge_at: seconds(now) - 1 }));
  }
  await stage.remember(to);
  for (const table of restorableTables) {
    await stage.lose(table, rowOf(table, 'lost'));
    await stage.lose(table, rowOf(table, 'over'));
    await stage.put(table, changed(table, rowOf(table, 'kept')));
    await stage.put(table, rowOf(table, 'later'));
  }
}

describe('every table', () => {
  it.each([false, true])(
    'has its lost rows exactly, and what is newer stays; with --replace: %s',
    async (replace) => {
      await loseAndChange();
      const { step, report } = await stage.restore(to, { replace });
      expect(step).toBe('done');
      for (const table of restorableTables) {
        const found = await Promise.all(
          ['lost', 'kept', 'over', 'later'].map((name) => stage.get(table, rowOf(table, name))),
        );
        const [lost, kept, over, later] = found;
        expect([table, without(lost, 'restored_by', 'usage_closed')]).toEqual([table, rowOf(table, 'lost')]);
        const isReplaced = replace && ruleOf(table).replaceable === true;
        const asItIs = rowOf(table, 'kept');
        expect([table, kept]).toEqual([table, isReplaced ? asItIs : changed(table, asItIs)]);
        expect([table, over]).toEqual([table, undefined]);
        expect([table, later]).toEqual([table, rowOf(table, 'later')]);
        expect([table, report?.tables[table]]).toMatchObject([table, { rows: 3, restored: 1, kept: 1 }]);
      }
    },
  );

  it('marks what its stream must not act on, and nothing else', async () => {
    await loseAndChange();
    await stage.restore(to, {});
    for (const table of restorableTables) {
      const marked = (await stage.rows(table)).filter(({ restored_by }) => restored_by !== undefined);
      expect([table, marked.length]).toEqual([
        table,
        ['messages', 'webhook-deliveries'].includes(table) ? 1 : 0,
      ]);
    }
  });
});

describe('the stream of messages', () => {
  it('tells what happened to a lost message since, and which were accepted since', async () => {
    const delivered = rowOf('messages', 'delivered');
    const accepted = rowOf('messages', 'accepted', { created_at: since, sent_at: since });
    await stage.put('messages', delivered);
    await stage.remember(to);
    await stage.put('messages', changed('messages', delivered));
    await stage.put('messages', accepted);
    for (const row of [delivered, accepted]) await stage.lose('messages', row);
    const { report } = await stage.restore(to, {}, ['messages']);
    expect(report?.changed_messages).toEqual([delivered.message_id]);
    expect(await stage.get('messages', delivered)).toMatchObject({
      status: 'delivered',
      delivered_at: since,
    });
    const { message_id, client_id } = accepted;
    const known = { accepted_at: since, status: 'sent', states: { sent: since } };
    expect(report?.lost_messages).toMatchObject([{ message_id, client_id, ...known }]);
  });
});

describe('what the Activity Log says was taken back since', () => {
  const entry = (kind: string, more: Row = {}): Row => ({
    day: since.slice(0, 10),
    entry_id: `act_${kind}`,
    kind,
    at: since,
    summary: kind,
    client_id: 'client-a',
    ...more,
  });
  const removable = restorableTables.flatMap((table) => {
    const kind = ruleOf(table).deletedBy;
    return kind === undefined ? [] : [[table, kind] as const];
  });

  it.each(removable)('is yours to decide where a row of %s was removed', async (table, kind) => {
    const row = { ...rowOf(table, 'lost'), client_id: 'client-a' };
    await stage.put(table, row);
    await stage.remember(to);
    await stage.lose(table, row);
    await stage.put('activity-log', entry(kind));
    const undecided = await stage.restore(to, {}, [table]);
    expect([undecided.step, undecided.open]).toEqual([
      'compare',
      [expect.stringContaining('--deleted-rows')],
    ]);
    await stage.restore(to, { deletedRows: 'leave' }, [table]);
    expect(await stage.get(table, row)).toBeUndefined();
    await stage.restore(to, { deletedRows: 'restore' }, [table]);
    expect(await stage.get(table, row)).toEqual(row);
  });

  it('is not given back: a revoked key is revoked, a disabled client is disabled', async () => {
    const [revoked, live] = ['one', 'two'].map((key_id) => ({
      key_hash: `hash-${key_id}`,
      key_id,
      client_id: 'client-a',
    }));
    const [disabled, enabled] = ['client-a', 'client-b'].map((client_id) => ({ client_id, disabled: false }));
    const rows = [
      ['api-keys', revoked],
      ['api-keys', live],
      ['clients', disabled],
      ['clients', enabled],
    ] as readonly [RestorableTable, Row][];
    for (const [table, row] of rows) await stage.put(table, row);
    await stage.remember(to);
    for (const [table, row] of rows) await stage.lose(table, row);
    await stage.put('activity-log', entry('api_key_revoked', { after: { key_id: 'one', revoked: true } }));
    await stage.put('activity-log', entry('client_disabled'));
    await stage.restore(to, {}, ['clients', 'api-keys']);
    const found = await Promise.all(rows.map(([table, row]) => stage.get(table, row)));
    expect(found).toEqual([
      { ...revoked, revoked_at: since },
      live,
      { ...disabled, disabled: true },
      enabled,
    ]);
  });

  it('is not sent: a message that an administrator canceled', async () => {
    const scheduled = aMessage({
      message_id: 'msg_canceled',
      status: 'scheduled',
      scheduled_at: '2026-11-21T10:00:00.000Z',
    });
    const { queued_at, ...row } = scheduled;
    await stage.put('messages', row);
    await stage.remember(to);
    await stage.lose('messages', row);
    await stage.put('activity-log', entry('message_canceled', { message_id: row.message_id }));
    // The restore's own row, which no person wrote.
    await stage.put('activity-log', entry('limits_set', { after: { endpoint: 'maintenance' } }));
    const { report } = await stage.restore(to, {}, ['messages']);
    expect(report?.changed_messages).toEqual([row.message_id]);
    expect(report?.settings_changed.map(({ kind }) => kind)).toEqual(['message_canceled']);
    expect(await stage.get('messages', row)).toMatchObject({ status: 'canceled', canceled_at: since });
    expect(await stage.rows('due-items')).toEqual([]);
  });
});

describe('usage', () => {
  it('that is counted anew since the loss gets what it had, once; what was counted on stays', async () => {
    const lost = { period: '2026-11-20', client_id: 'client-a', purge_at: seconds(now) + 1000 };
    const whole = { ...lost, client_id: 'client-b' };
    await stage.put('message-usage', { ...lost, 's.t.GB.d.m': 40, 's.t.GB.q.m': 2, 's.t.GB.d.c': 1_000_000 });
    await stage.put('message-usage', { ...whole, 's.t.GB.q.m': 5 });
    await stage.remember(to);
    const anew = { ...lost, 's.t.GB.d.m': 3, 's.t.GB.f.m': 1, 's.t.GB.d.c': 75_000 };
    const on = { ...whole, 's.t.GB.q.m': 0, 's.t.GB.d.m': 6 };
    await stage.put('message-usage', anew);
    await stage.put('message-usage', on);
    for (const _time of [1, 2]) {
      await stage.restore(to, {}, ['message-usage']);
      expect(await stage.get('message-usage', lost)).toEqual({
        ...lost,
        's.t.GB.d.m': 43,
        's.t.GB.q.m': 2,
        's.t.GB.f.m': 1,
        's.t.GB.d.c': 1_075_000,
      });
      expect(await stage.get('message-usage', whole)).toEqual(on);
    }
  });
});

describe('webhooks that were not finished', () => {
  it.each(['fail', 'send'] as const)('are yours to decide: %s', async (unknownWebhooks) => {
    const open = deliveryOf('open');
    await stage.put('webhook-deliveries', open);
    await stage.remember(to);
    await stage.lose('webhook-deliveries', open);
    const undecided = await stage.restore(to, {}, ['webhook-deliveries']);
    expect(undecided.open).toEqual([expect.stringContaining('--unknown-webhooks')]);
    await stage.restore(to, { unknownWebhooks }, ['webhook-deliveries']);
    const due = await stage.rows('due-items');
    const { state, alert_pending } = (await stage.get('webhook-deliveries', open)) ?? {};
    // The sweep alerts about what has failed, and posts what has not.
    expect([state, alert_pending, due.length]).toEqual(
      unknownWebhooks === 'fail' ? ['failed', true, 1] : ['pending', undefined, 1],
    );
  });

  it('and messages get their due items back where only the index was lost', async () => {
    await stage.put('webhook-deliveries', deliveryOf('open'));
    await stage.put('messages', rowOf('messages', 'sent'));
    await stage.put('messages', rowOf('messages', 'final', { status: 'delivered', delivered_at: since }));
    await stage.remember(to);
    await stage.restore(to, {}, ['due-items']);
    const items = (await stage.rows('due-items')).flatMap(({ ids }) => ids as string[]);
    expect(items.toSorted()).toEqual(['msg_open#message.sent', 'msg_sent']);
  });
});
