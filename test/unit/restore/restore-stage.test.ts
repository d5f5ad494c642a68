/** Rows that were lost and restored: a copy starts nothing and opens nothing, wherever the restore dies (contract 8.8). */
import { describe, expect, it } from '@jest/globals';
import { keysOf } from '../../../bin/admin/restored-tables.ts';
import { revokeApiKey } from '../../../shared/client/client-admin.ts';
import { findApiKey, storeDisabled } from '../../../shared/client/client-store.dynamo.ts';
import { readWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { tableShapes } from '../../../shared/contract/tables.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { heldGroups, type Message } from '../../../shared/message/message.ts';
import { enableRows, endMessages, releaseMessages } from '../../../shared/restore/held-rows.dynamo.ts';
import { notRestorable, restoreStage, startStage } from '../../../shared/restore/restore-stage.ts';
import { endMaintenance } from '../../../shared/restore/stop-stage.lambda.ts';
import { type RestorableTable, restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { type Delivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import { listDeliveryKeys } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { newResend } from '../../../shared/webhook/log/resend.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { Killed, noKill } from '../../support/faults/kill-process.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { lostRows, type Row } from '../../support/restore/lost-rows.ts';

type Gateway = ReturnType<typeof lostRows>;

const start = new Date('2026-11-20T10:00:00.000Z');
const since = '2026-11-20T10:30:00.000Z';
const afterHours = (hours: number): string => new Date(start.getTime() + hours * 3_600_000).toISOString();
const secretHash = 'a'.repeat(64);

function message(name: string, more: Partial<Message>): Message {
  const { queued_at, ...row } = aMessage({ message_id: `msg_${name}`, country: 'GB', segments: 1, ...more });
  return row.status === 'scheduled' ? row : { ...row, queued_at: queued_at ?? '' };
}

const next = { channel: 'sms', after_seconds: 60, text: 'Again' } as const;
/** The messages of the restored time, by the group in which they are held; null: they are final. */
const messages: readonly (readonly [string, Message])[] = [
  ['due', message('queued', { fallback: [next] })],
  ['due', message('sending', { status: 'sending', handover_until: afterHours(0), handover_claim: 'lost' })],
  ['due', message('overdue', { status: 'scheduled', scheduled_at: afterHours(0.5) })],
  [
    'scheduled',
    message('scheduled', { status: 'scheduled', scheduled_at: afterHours(24), fallback: [next] }),
  ],
  ['sent', message('sent', { status: 'sent', sent_at: afterHours(0) })],
  ['null', message('delivered', { status: 'delivered', delivered_at: afterHours(0) })],
  ['null', message('failed', { status: 'failed', failed_at: afterHours(0), fallback: [next] })],
];
const idsIn = (group: string): string[] =>
  messages.filter(([of]) => of === group).map(([, { message_id }]) => message_id);

function delivery(name: string, more: Partial<Delivery>): Delivery {
  const given = {
    delivery_id: `whd_${name}`,
    client_id: 'client-a',
    event: 'webhook.test',
    url: 'https://endpoint.example.com/hook',
    body: '{}',
  } as const;
  return { ...newDelivery(given, start, 30, `r ${name}`), ...more };
}
const openDeliveries = [
  delivery('pending', {}),
  delivery('attempting', { state: 'attempting', lease_until: afterHours(0) }),
  delivery('retry', { state: 'retry_scheduled', attempt_number: 5, attempt_due_at: afterHours(5) }),
];
const {
  due_at: _due,
  due_shard: _shard,
  ...skipped
} = delivery('skipped', {
  state: 'skipped',
  finished_at: afterHours(0),
});
const resend = newResend(
  {
    state: 'failed',
    since: start.toISOString(),
    until: since,
    resend_id: 'whr_1',
    client_id: 'client-a',
    actor: 'client-a',
  },
  start,
  30,
  'r',
);

function client(client_id: string, more: Row = {}): Row {
  return {
    client_id,
    name: client_id,
    scopes: ['messages'],
    disabled: false,
    secrets: [{ hash: secretHash, created_at: start.toISOString() }],
    created_at: start.toISOString(),
    ...more,
  };
}
const key = (key_id: string, more: Row = {}): Row => ({
  key_hash: `hash ${key_id}`,
  key_id,
  client_id: 'client-a',
  created_at: start.toISOString(),
  ...more,
});
const secretsOf = (text: string): Row[] => [{ secret: text, created_at: start.toISOString() }];
const entry = (kind: string, more: Row = {}): Row => ({
  day: since.slice(0, 10),
  entry_id: `act_${kind}`,
  kind,
  at: since,
  summary: kind,
  client_id: 'client-a',
  ...more,
});

const lost: readonly (readonly [RestorableTable, Row])[] = [
  ...messages.map(([, row]) => ['messages', row] as const),
  ...[...openDeliveries, skipped].map((row) => ['webhook-deliveries', row] as const),
  ['webhook-deliveries', { ...resend, delivery_id: resend.resend_id }],
  ['clients', client('client-a')],
  ['clients', client('client-b', { disabled: true })],
  ['api-keys', key('live')],
  ['api-keys', key('revoked since')],
  ['api-keys', key('revoked before', { revoked_at: start.toISOString() })],
  [
    'client-secrets',
    {
      client_id: 'client-a',
      webhook_secrets: secretsOf('whsec_account'),
      endpoint_secrets: { end_1: secretsOf('whsec_endpoint') },
    },
  ],
  ['webhook-endpoints', { client_id: 'client-a', endpoint_id: 'end_kept' }],
  ['webhook-endpoints', { client_id: 'client-a', endpoint_id: 'end_deleted' }],
];

/** All of these rows are lost, and nothing else has happened since but what the Activity Log says. */
async function afterLoss(): Promise<{ readonly gateway: Gateway; readonly to: Date }> {
  const gateway = lostRows(start);
  for (const [table, row] of lost) await gateway.put(table, row);
  const to = gateway.rememberTables();
  for (const [table, row] of lost) await gateway.lose(table, row);
  await gateway.put(
    'activity-log',
    entry('api_key_revoked', { after: { key_id: 'revoked since' } }),
    entry('client_secret_rotated'),
    entry('webhook_endpoint_deleted', { summary: 'client-a deleted the webhook endpoint end_deleted' }),
  );
  gateway.pass(3600);
  return { gateway, to };
}

async function restored() {
  const { gateway, to } = await afterLoss();
  const report = await restoreStage(gateway.restoring(), to, restorableTables);
  return { gateway, to, report };
}

const statusOf = (gateway: Gateway, id: string) => gateway.get('messages', { message_id: id })?.status;

it('every table with point-in-time recovery is restored', () => {
  const recovered = Object.entries(tableShapes)
    .filter(([, shape]) => !('notRestorable' in shape))
    .map(([name]) => name);
  expect(restorableTables.toSorted()).toEqual(recovered.toSorted());
});

describe('rows', () => {
  it.each(restorableTables)('of %s are copied if they are missing, and never overwritten', async (table) => {
    const gateway = lostRows(start);
    const rowOf = (name: string, more: Row = {}): Row => {
      if (table === 'messages')
        return { ...message(name, { status: 'delivered', delivered_at: afterHours(0) }), ...more };
      if (table === 'webhook-deliveries') return { ...delivery(name, { state: 'acknowledged' }), ...more };
      const keys = Object.fromEntries(
        keysOf(table).map((each, index) => [each, index === 0 ? name : 'sort']),
      );
      return { ...keys, note: 'at the time', ...more };
    };
    const idOf = (name: string): Row => rowOf(name);
    await gateway.put(table, rowOf('lost'), rowOf('kept'), rowOf('over', { purge_at: 1 }));
    const to = gateway.rememberTables();
    await gateway.lose(table, idOf('lost'));
    await gateway.lose(table, idOf('over'));
    const changed = rowOf('kept', { note: 'changed since' });
    const later = rowOf('later');
    await gateway.put(table, changed, later);
    const report = await restoreStage(gateway.restoring(), to, [table]);
    expect(report.tables[table]).toEqual({ rows: 3, copied: 1, kept: 1 });
    expect(gateway.get(table, idOf('lost'))).toMatchObject({ restored_by: report.restore_id });
    expect(gateway.get(table, idOf('kept'))).toEqual(changed);
    expect(gateway.get(table, idOf('over'))).toBeUndefined();
    expect(gateway.get(table, idOf('later'))).toEqual(later);
  });

  it('of webhook endpoints that their clients deleted since are not copied, and are named', async () => {
    const { gateway, report } = await restored();
    expect(gateway.all('webhook-endpoints')).toMatchObject([{ endpoint_id: 'end_kept' }]);
    expect(report.deleted_endpoints).toEqual(['client-a end_deleted']);
  });

  it('a time without recovery is named before anything is stopped', async () => {
    const { gateway, to } = await afterLoss();
    expect(await notRestorable(gateway.restoring(), to, ['messages'])).toEqual([]);
    const earlier = new Date(to.getTime() - 1000);
    expect(await notRestorable(gateway.restoring(), earlier, ['messages'])).toEqual(['messages']);
    expect(gateway.workers.turns).toEqual([]);
  });
});

describe('messages', () => {
  it('are held unless they are final: no queue message or run hands one over or ends it', async () => {
    const { gateway, report } = await restored();
    for (const group of heldGroups) expect(report.held[group].toSorted()).toEqual(idsIn(group).toSorted());
    const before = gateway.all('messages');
    const isSequence = ({ message_id, fallback }: Row) => (fallback === undefined ? [] : [message_id]);
    expect(before.flatMap(isSequence)).toEqual(['msg_scheduled']);
    expect(before.filter(({ due_at }) => due_at !== undefined)).toEqual([]);
    await startStage(gateway.restoring());
    await gateway.followChanges();
    for (const [, { message_id }] of messages) {
      await gateway.handOver(message_id);
      const deps = { ...gateway.stores.context, clock: gateway.clock };
      if (report.held.due.includes(message_id))
        expect(await dispatch(deps as never, message_id)).toMatchObject({ outcome: 'nothing_to_do' });
    }
    await gateway.runHours(48);
    expect([gateway.handedOver, gateway.posted, gateway.queued]).toEqual([[], [], []]);
    expect(gateway.all('messages')).toEqual(before);
    expect(gateway.all('message-usage')).toEqual([]);
  });

  it('are released by group, and go on as new ones; what may have been sent before says so', async () => {
    const { gateway } = await restored();
    await startStage(gateway.restoring());
    expect(await releaseMessages(gateway.held(), ['due', 'sent'])).toBe(4);
    expect(await releaseMessages(gateway.held(), ['due', 'sent'])).toBe(0);
    await gateway.followChanges();
    expect([gateway.posted, gateway.queued]).toEqual([[], []]);
    await gateway.runHours(2);
    expect(gateway.handedOver.toSorted()).toEqual(idsIn('due').toSorted());
    for (const id of idsIn('due'))
      expect(gateway.get('messages', { message_id: id })).toMatchObject({ possible_duplicate: true });
    expect(statusOf(gateway, 'msg_scheduled')).toBe('scheduled');
    expect(await releaseMessages(gateway.held(), ['scheduled'])).toBe(1);
    await gateway.followChanges();
    await gateway.runHours(80);
    expect(gateway.handedOver.filter((id) => id === 'msg_scheduled')).toHaveLength(1);
    // The scheduled message expired, so its next leg followed.
    expect(gateway.handedOver).toHaveLength(5);
    expect(statusOf(gateway, 'msg_sent')).toBe('expired');
    // Usage counts what was scheduled for later, and has the others as it counted them before the loss.
    const isDay = ({ period, client_id }: Row) => period === '2026-11-20' && client_id === 'client-a';
    const counts = Object.entries(gateway.all('message-usage').find(isDay) ?? {});
    expect(Object.fromEntries(counts.filter(([name]) => name.endsWith('.m')))).toEqual({
      's.t.GB.sc.m': -1,
      's.t.GB.e.m': 1,
    });
  });

  it('are ended by group: each gets the end of its state, and nothing is handed over', async () => {
    const { gateway } = await restored();
    await startStage(gateway.restoring());
    expect(await endMessages(gateway.held(), heldGroups)).toBe(5);
    expect(await endMessages(gateway.held(), heldGroups)).toBe(0);
    await gateway.followChanges();
    await gateway.runHours(48);
    expect(gateway.handedOver).toEqual([]);
    expect(messages.map(([, { message_id: id }]) => [id, statusOf(gateway, id)])).toEqual([
      ['msg_queued', 'failed'],
      ['msg_sending', 'failed'],
      ['msg_overdue', 'canceled'],
      ['msg_scheduled', 'canceled'],
      ['msg_sent', 'expired'],
      ['msg_delivered', 'delivered'],
      ['msg_failed', 'failed'],
    ]);
  });
});

it('webhooks that were not finished are failed, each with one alert, and a resend of many does not go on', async () => {
  const { gateway, report } = await restored();
  const ids = openDeliveries.map(({ delivery_id }) => delivery_id);
  expect(report.failed_webhooks.toSorted()).toEqual(ids.toSorted());
  for (const delivery_id of ids) {
    const row = gateway.get('webhook-deliveries', { delivery_id });
    expect(row).toMatchObject({ state: 'failed', alert_pending: true, finished_at: afterHours(1) });
    expect(String(row?.attempt_due_at) <= afterHours(1)).toBe(true);
  }
  expect(gateway.all('webhook-deliveries')).toHaveLength(4);
  const { delivery_id, state } = skipped;
  expect(gateway.get('webhook-deliveries', { delivery_id })).toMatchObject({ state });
  await gateway.runHours(2);
  expect(gateway.alerted.toSorted()).toEqual(ids.toSorted());
  expect(gateway.posted).toEqual([]);
  const query = { clientId: 'client-a', failed: true, after: '0', before: '~' } as const;
  const failed = await listDeliveryKeys(gateway.stores.context, {
    ...query,
    order: 'newest first',
    limit: 100,
  });
  expect(failed.map(({ delivery_id }) => delivery_id).toSorted()).toEqual(ids.toSorted());
});

describe('clients, API keys and webhook secrets', () => {
  const isUsable = async (gateway: Gateway, keyId: string): Promise<boolean> =>
    (await findApiKey(testContext(gateway.tables), `hash ${keyId}`))?.revoked_at === undefined;
  const secretsIn = ({ tables }: Gateway, ...of: [string, string?]) =>
    readWebhookSecrets(testContext(tables), ...of);
  const isDisabled = (gateway: Gateway, client_id: string) => gateway.get('clients', { client_id })?.disabled;

  it('are disabled until an administrator enables them, and the report says what happened to each since', async () => {
    const { gateway, to, report } = await restored();
    for (const id of ['live', 'revoked since', 'revoked before'])
      expect([id, await isUsable(gateway, id)]).toEqual([id, false]);
    expect([isDisabled(gateway, 'client-a'), isDisabled(gateway, 'client-b')]).toEqual([true, true]);
    expect(await secretsIn(gateway, 'client-a')).toEqual([]);
    expect(await secretsIn(gateway, 'client-a', 'end_1')).toEqual([]);
    const told = report.disabled.map(({ table, id, since: log }) => [table, id, log.map(({ kind }) => kind)]);
    expect(told).toEqual([
      ['clients', 'client-a', ['client_secret_rotated', 'webhook_endpoint_deleted']],
      ['client-secrets', 'client-a', ['client_secret_rotated', 'webhook_endpoint_deleted']],
      ['api-keys', 'live', []],
      ['api-keys', 'revoked since', ['api_key_revoked']],
    ]);

    expect(await enableRows(gateway.held(), { allBut: ['revoked since'] })).toHaveLength(3);
    // A repeated command reports the same, and changes nothing that was enabled.
    expect((await restoreStage(gateway.restoring(), to, restorableTables)).tables).toEqual(report.tables);
    await startStage(gateway.restoring());
    expect(await isUsable(gateway, 'live')).toBe(true);
    for (const id of ['revoked since', 'revoked before'])
      expect([id, await isUsable(gateway, id)]).toEqual([id, false]);
    expect([isDisabled(gateway, 'client-a'), isDisabled(gateway, 'client-b')]).toEqual([false, true]);
    expect(await secretsIn(gateway, 'client-a')).toEqual(secretsOf('whsec_account'));
    expect(await secretsIn(gateway, 'client-a', 'end_1')).toEqual(secretsOf('whsec_endpoint'));
    expect(await enableRows(gateway.held(), { ids: ['revoked since'] })).toHaveLength(1);
    expect(await isUsable(gateway, 'revoked since')).toBe(true);
  });

  it('that an administrator revoked or disabled meanwhile are not enabled with the others', async () => {
    const { gateway } = await restored();
    const { tables, clock } = gateway;
    await revokeApiKey(testContext(tables), 'client-a', 'live', clock());
    await storeDisabled(testContext(tables), 'client-a', true);
    await enableRows(gateway.held(), { allBut: [] });
    expect([await isUsable(gateway, 'live'), isDisabled(gateway, 'client-a')]).toEqual([false, true]);
  });
});

describe('the stage', () => {
  it('is stopped until it is started, and its side tables are deleted then', async () => {
    const { gateway, to } = await restored();
    expect(gateway.workers.turns).toEqual(['m off']);
    expect(gateway.all('limit-overrides')).toHaveLength(1);
    const other = new Date(to.getTime() - 1000);
    await expect(restoreStage(gateway.restoring(), other, ['messages'])).rejects.toThrow('is under way');
    await startStage(gateway.restoring());
    expect([gateway.workers.on, gateway.all('limit-overrides')]).toEqual([true, []]);
    expect(gateway.isRestoredBeside('messages', to)).toBe(false);
    await expect(startStage(gateway.restoring())).rejects.toThrow('No restore is under way');
  });

  it.each<[string, (gateway: Gateway) => Promise<void>]>([
    [
      'ended the maintenance',
      ({ stores, tables }) => endMaintenance(stores.context, tables.names.limit_overrides),
    ],
    [
      'was killed while it started the stage',
      async (gateway) => {
        const kill = { at: 2, when: 'after', calls: 0 } as const;
        await expect(startStage(gateway.restoring(kill))).rejects.toThrow(Killed);
        expect(gateway.workers.on).toBe(true);
      },
    ],
  ])('is stopped again by a repeated command if another one %s meanwhile', async (_what, another) => {
    const { gateway, to } = await restored();
    await restoreStage(gateway.restoring(), to, ['messages']);
    expect(gateway.workers.turns).toEqual(['m off']);
    await another(gateway);
    await restoreStage(gateway.restoring(), to, ['messages']);
    expect(gateway.workers.turns.at(-1)).toBe('m off');
    expect(gateway.workers.on).toBe(false);
  });

  it('is started with all workers if the progress is lost and the restore is repeated', async () => {
    const { gateway, to } = await restored();
    await gateway.restoring().progress.write(undefined);
    await restoreStage(gateway.restoring(), to, ['messages']);
    await startStage(gateway.restoring());
    expect(gateway.workers.turns.at(-1)).toBe('m,off on');
  });
});

describe('a command that is killed at any call and repeated', () => {
  /** Restores, enables, releases and ends, and starts the stage. */
  async function allOf(gateway: Gateway, to: Date, kill = noKill()): Promise<void> {
    await restoreStage(gateway.restoring(kill), to, restorableTables);
    await enableRows(gateway.held(kill), { allBut: ['revoked since'] });
    await releaseMessages(gateway.held(kill), ['scheduled']);
    await endMessages(gateway.held(kill), ['due']);
    await startStage(gateway.restoring(kill));
  }
  const rowsIn = (gateway: Gateway) => restorableTables.map((table) => [table, gateway.all(table)]);

  it('has the same result, and hands over and posts nothing by itself', async () => {
    const whole = await afterLoss();
    const counted = noKill();
    await allOf(whole.gateway, whole.to, counted);
    expect(counted.calls).toBeGreaterThan(100);
    for (let at = 0; at < counted.calls; at += 1) {
      const { gateway, to } = await afterLoss();
      // A process that dies before its next call leaves the same rows.
      await expect(allOf(gateway, to, { at, when: 'after', calls: 0 })).rejects.toThrow(Killed);
      await allOf(gateway, to);
      expect([at, rowsIn(gateway)]).toEqual([at, rowsIn(whole.gateway)]);
      expect([gateway.handedOver, gateway.posted]).toEqual([[], []]);
      // What was on before is known from the first calls on.
      if (at > 3) expect([at, gateway.workers.turns.at(-1)]).toEqual([at, 'm on']);
    }
  }, 60_000);
});
