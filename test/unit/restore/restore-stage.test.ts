/** A table of messages that is lost and restored: nothing is sent, posted or counted twice, wherever the restore dies. */
import { describe, expect, it } from '@jest/globals';
import { tableShapes } from '../../../shared/contract/tables.ts';
import type { Message } from '../../../shared/message/message.ts';
import { planRestore, type RestoreReport, unknownIn } from '../../../shared/restore/restore-report.ts';
import { type RestoreRequest, restoreStage } from '../../../shared/restore/restore-stage.ts';
import { restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { periodsBetween } from '../../../shared/usage/period.ts';
import { usageOfAll } from '../../../shared/usage/read-usage.ts';
import { Killed, noKill } from '../../support/faults/kill-process.ts';
import { lostTable } from '../../support/restore/lost-table.ts';

type Gateway = ReturnType<typeof lostTable>;

/**
 * The ways: 0 queued and never handed over, 1 queued and handed over after the time, 2 the same and delivered, 3 sent, and
 * delivered after the time, 4 delivered before, 5 failed before, 6 scheduled for tomorrow, 7 scheduled and handed over after
 * the time, 8 canceled before, 9 sent, and still without a receipt.
 */
async function gatewayWithLoss(total: number, more?: Parameters<typeof lostTable>[1]) {
  const gateway = lostTable(total, more);
  const { accept, handOver, deliver, followChanges, idsOf, pass, stores } = gateway;
  await accept(total);
  gateway.outbound.length = 0;
  pass(60);
  await handOver(idsOf(3, 4, 5, 9));
  pass(60);
  await deliver(idsOf(4));
  for (const id of idsOf(5))
    await stores.messages.transition(id, { to: 'failed', at: gateway.clock(), reported: true });
  for (const id of idsOf(8)) await stores.messages.transition(id, { to: 'canceled', at: gateway.clock() });
  await followChanges();
  pass(60);
  const to = gateway.rememberTables();
  const atTime = new Map(stores.messages.all().map((message) => [message.message_id, message]));
  const postedBefore = new Map(gateway.posted);

  pass(1500);
  await handOver(idsOf(1, 2, 7));
  await followChanges();
  pass(60);
  await deliver(idsOf(2, 3));
  await followChanges();
  const later = await accept(Math.ceil(total / 20));
  await handOver(later.filter((id) => !idsOf(6, 8).includes(id)));
  await followChanges();
  gateway.outbound.length = 0;
  const truth = new Map(stores.messages.all().map((message) => [message.message_id, message]));

  // Most rows are lost, some are spoilt, and some survive.
  const survivors = new Set<string>();
  for (const [index, { message }] of gateway.stories.entries()) {
    if (index % 17 === 3) survivors.add(message.message_id);
    else if (index % 13 === 5 && !later.includes(message.message_id)) await gateway.spoil(message.message_id);
    else await gateway.lose(message.message_id);
  }
  // What a person spoils is no message that the relay passes on.
  await followChanges().catch(() => undefined);
  return { gateway, to, atTime, truth, later, survivors, postedBefore };
}

const request = (to: Date, change: Partial<RestoreRequest> = {}): RestoreRequest => ({
  to,
  tables: ['messages'],
  decisions: { unknownMessages: 'fail' },
  confirmed: true,
  canceled: false,
  again: false,
  ...change,
});

/** How many messages usage has in each state. */
async function usageByStatus(gateway: Gateway): Promise<Readonly<Record<string, number>>> {
  const periods = periodsBetween('day', new Date('2026-11-20'), new Date('2026-11-25'), 10) ?? [];
  const read = await usageOfAll(
    gateway.stores.usage,
    { interval: 'day', periods, groupBy: ['status'] },
    'USD',
  );
  return sums(read.map(({ status, messages }) => [String(status), messages]));
}

function sums(pairs: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const [name, count] of pairs) result[name] = (result[name] ?? 0) + count;
  return Object.fromEntries(Object.entries(result).filter(([, count]) => count !== 0));
}

/** As usage has it: `sending` is internal. */
const statusOf = (message: Message | undefined): string =>
  message?.status === 'sending' ? 'queued' : String(message?.status);

const hasWebhook = ({ webhook_url }: Message): boolean => webhook_url !== undefined;

it('every table with point-in-time recovery is restored', () => {
  const recovered = Object.entries(tableShapes)
    .filter(([, shape]) => !('notRestorable' in shape))
    .map(([name]) => name);
  expect(restorableTables.toSorted()).toEqual(recovered.toSorted());
});

describe('messages', () => {
  it('are judged before anything is written, and what nothing proves must be decided', async () => {
    const { gateway, to, later, survivors } = await gatewayWithLoss(400);
    const before = JSON.stringify(gateway.tables.rows('messages'));
    const { step, report, open } = await restoreStage(
      gateway.dependencies(),
      request(to, { decisions: {}, confirmed: true }),
    );
    expect(step).toBe('compare');
    expect(open).toEqual([expect.stringContaining('--unknown-messages')]);
    expect(JSON.stringify(gateway.tables.rows('messages'))).toBe(before);
    expect(gateway.workers.on).toBe(false);
    // What has happened is counted before it is compared.
    expect(gateway.workers.turns).toEqual(['m off', 'm,count off']);
    expect(gateway.tables.rows('limit_overrides')).toHaveLength(1);

    const lost = gateway.stories.slice(0, 400).filter(({ message }) => !survivors.has(message.message_id));
    const ids = (of: (typeof lost)[number][]) => of.map(({ message }) => message.message_id).toSorted();
    const proven = lost.filter(({ way, message }) => [1, 2, 3, 7].includes(way) && hasWebhook(message));
    const isSpoilt = (id: string) =>
      gateway.tables.rows('messages').some((row) => row.message_id === id && row.segments_);
    const changed = new Set(report?.changed_messages);
    for (const id of ids(proven)) expect(changed).toContain(id);
    // A spoilt row proves what is left in it.
    expect([...changed].filter((id) => !ids(proven).includes(id)).filter((id) => !isSpoilt(id))).toEqual([]);
    const unproven = lost.filter(({ way, message }) => [1, 2, 7].includes(way) && !hasWebhook(message));
    const unknown = new Set(report?.unknown_messages);
    for (const id of ids(unproven).filter((id) => !isSpoilt(id))) expect(unknown).toContain(id);
    for (const id of ids(lost.filter(({ way }) => way === 0))) expect(unknown).toContain(id);

    const laterLost = later.filter((id) => !survivors.has(id));
    expect(Object.values(report?.lost_by_client ?? {}).reduce((sum, count) => sum + count, 0)).toBe(
      laterLost.length,
    );
    for (const { message_id } of report?.lost_messages ?? []) expect(laterLost).toContain(message_id);
    expect(report?.lost_messages.length).toBeGreaterThan(0);
    const unknownNow = unknownIn(report as RestoreReport, new Set(['messages'])).join('\n');
    for (const known of [/^No stream of messages is left/, /a receipt: one/, /whether a client canceled/])
      expect(unknownNow).toMatch(known);
  });

  it('have a stream for a day: what it tells is known of each, also where it forgets during the restore', async () => {
    const { gateway, to, later, survivors, truth } = await gatewayWithLoss(200, {
      hasStream: true,
      // Usage has the sums of all clients in a row for live data, and in one for test data.
      clientIdOf: (index) => (index % 3 === 0 ? 'client-a-test' : 'client-a'),
    });
    const { changed } = await planRestore(gateway.dependencies(), to, ['messages']);
    const { report } = await restoreStage(gateway.dependencies(), request(to, { confirmed: false }));
    const lostOf = (...ways: readonly number[]): string[] =>
      gateway.stories
        .filter(({ way, message: { message_id: id } }) => ways.includes(way) && !survivors.has(id))
        .map(({ message }) => message.message_id)
        .filter((id) => !later.includes(id))
        .toSorted();
    expect(report?.changed_messages.toSorted()).toEqual(lostOf(1, 2, 3, 7));
    // They were queued to the end.
    expect(report?.unknown_messages.toSorted()).toEqual(lostOf(0));
    const laterLost = later.filter((id) => !survivors.has(id));
    expect(report?.lost_messages.map(({ message_id }) => message_id).toSorted()).toEqual(
      laterLost.toSorted(),
    );
    const lostOfClient = Map.groupBy(laterLost, (id) => String(truth.get(id)?.client_id));
    expect(report?.lost_by_client).toEqual(
      Object.fromEntries([...lostOfClient].map(([client, ids]) => [client, ids.length])),
    );
    for (const { message_id, ...known } of report?.lost_messages ?? []) {
      const { client_id, created_at: accepted_at, status } = truth.get(message_id) ?? {};
      expect(known).toMatchObject({ client_id, accepted_at, status });
    }
    expect(changed).toBeGreaterThanOrEqual(lostOf(1, 2, 3, 7).length + laterLost.length);
    // Each receipt that was recorded is in the stream.
    const unknown = unknownIn(report as RestoreReport, new Set(['messages'])).join('\n');
    expect(unknown).toContain(`usage counted ${laterLost.length} that have no row now`);
    expect(unknown).not.toMatch(/stream of messages|a receipt: one|whether a client canceled/);

    gateway.loseStream();
    expect(await restoreStage(gateway.dependencies(), request(to))).toMatchObject({ step: 'done' });
    await gateway.followChanges();
    await gateway.runMinutes(new Date('2026-11-24T12:00:00.000Z'));
    expect([...gateway.handedOver].filter(([, count]) => count > 1)).toEqual([]);
    const rows = new Map(gateway.stores.messages.all().map((message) => [message.message_id, message]));
    for (const id of lostOf(2, 3))
      expect(rows.get(id)).toMatchObject({ status: 'delivered', delivered_at: truth.get(id)?.delivered_at });
  });

  it('a plan names what cannot be restored, and what surviving tables report since, and changes nothing', async () => {
    const { gateway, to } = await gatewayWithLoss(100);
    const before = JSON.stringify(gateway.tables.rows('messages'));
    const { problems, changed, streamSince } = await planRestore(gateway.dependencies(), to, ['messages']);
    expect([problems, changed > 0, streamSince]).toEqual([[], true, null]);
    const earlier = new Date(to.getTime() - 1000);
    const { problems: missing } = await planRestore(gateway.dependencies(), earlier, ['messages', 'clients']);
    expect(missing).toEqual([
      expect.stringMatching(/^messages cannot be restored to /),
      expect.stringMatching(/^clients cannot/),
    ]);
    expect([gateway.workers.turns, JSON.stringify(gateway.tables.rows('messages'))]).toEqual([[], before]);
    expect(gateway.tables.rows('limit_overrides')).toEqual([]);
  });

  it('canceling turns all on again, and nothing was written', async () => {
    const { gateway, to } = await gatewayWithLoss(100);
    const before = JSON.stringify(gateway.tables.rows('messages'));
    await restoreStage(gateway.dependencies(), request(to, { confirmed: false }));
    const { step } = await restoreStage(
      gateway.dependencies(),
      request(to, { canceled: true, confirmed: false }),
    );
    expect([step, gateway.workers.on]).toEqual(['done', true]);
    expect(gateway.tables.rows('limit_overrides')).toEqual([]);
    expect(JSON.stringify(gateway.tables.rows('messages'))).toBe(before);
  });

  it('that has ended is made again only where that is asked for', async () => {
    const { gateway, to } = await gatewayWithLoss(100);
    const idsNow = () => gateway.stores.messages.all().map(({ message_id }) => message_id);
    await restoreStage(gateway.dependencies(), request(to));
    const [lost = ''] = gateway.idsOf(6).filter((id) => idsNow().includes(id));
    await gateway.lose(lost);
    const turns = gateway.workers.turns.length;
    expect(await restoreStage(gateway.dependencies(), request(to))).toMatchObject({ step: 'done' });
    expect([gateway.workers.turns.length, idsNow().includes(lost)]).toEqual([turns, false]);
    gateway.keepTablesOf(to);
    expect(await restoreStage(gateway.dependencies(), request(to, { again: true }))).toMatchObject({
      step: 'done',
    });
    expect(idsNow()).toContain(lost);
  });

  it('stops the stage again where another command turned it on, before and during the copy', async () => {
    const { gateway, to } = await gatewayWithLoss(100);
    const { maintenance } = gateway.dependencies();
    await restoreStage(gateway.dependencies(), request(to, { confirmed: false }));
    await maintenance.end();
    gateway.workers.on = true;
    await restoreStage(gateway.dependencies(), request(to, { confirmed: false }));
    expect([gateway.workers.on, gateway.tables.rows('limit_overrides').length]).toEqual([false, 1]);

    const during = gateway.dependencies();
    const { rows, ...others } = during;
    const endsMeanwhile = {
      ...rows,
      put: async (...given: Parameters<typeof rows.put>) => {
        await maintenance.end();
        return rows.put(...given);
      },
    };
    await expect(restoreStage({ ...others, rows: endsMeanwhile }, request(to))).rejects.toThrow('meanwhile');
    const turns = gateway.workers.turns.length;
    expect(await restoreStage(gateway.dependencies(), request(to))).toMatchObject({ step: 'done' });
    expect(gateway.workers.turns.slice(turns)).toContain('m,count off');
    expect([gateway.workers.on, gateway.tables.rows('limit_overrides')]).toEqual([true, []]);
  });

  it('is not canceled where none is under way', async () => {
    const { gateway, to } = await gatewayWithLoss(100);
    await expect(restoreStage(gateway.dependencies(), request(to, { canceled: true }))).rejects.toThrow(
      'No restore is under way',
    );
    expect(gateway.workers.turns).toEqual([]);
  });

  it('in every state, lost under traffic, and a restore killed at ten points: nothing happens twice, usage equals the messages', async () => {
    const total = 600;
    const dry = await gatewayWithLoss(total);
    const counted = noKill();
    await restoreStage(dry.gateway.dependencies(counted), request(dry.to));
    const world = await gatewayWithLoss(total);
    const { gateway, to, atTime, truth, later, survivors, postedBefore } = world;
    // A run that is continued makes fewer calls.
    const points = [0, 0.0005, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2];
    let deaths = 0;
    for (const [index, point] of points.entries()) {
      const kill = {
        at: Math.floor(point * counted.calls),
        when: index % 2 === 0 ? 'before' : 'after',
        calls: 0,
      } as const;
      await restoreStage(gateway.dependencies({ ...kill }), request(to)).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        deaths += 1;
      });
    }
    expect(deaths).toBe(points.length);
    const { step, report } = await restoreStage(gateway.dependencies(), request(to));
    expect(step).toBe('done');
    expect(gateway.workers.on).toBe(true);
    expect(gateway.tables.rows('limit_overrides')).toEqual([]);

    await gateway.followChanges();
    await gateway.runMinutes(new Date('2026-11-24T12:00:00.000Z'));

    expect([...gateway.handedOver].filter(([, count]) => count > 1)).toEqual([]);
    expect([...gateway.posted].filter(([, count]) => count > 1)).toEqual([]);
    for (const [id, count] of postedBefore) expect(gateway.posted.get(id)).toBe(count);
    const rows = new Map(gateway.stores.messages.all().map((message) => [message.message_id, message]));
    for (const [id, was] of truth) {
      if (later.includes(id) && !survivors.has(id)) expect(rows.has(id)).toBe(false);
      else if (was.status === 'delivered' && hasWebhook(was))
        expect(rows.get(id)).toMatchObject({ status: 'delivered', delivered_at: was.delivered_at });
    }
    // Tomorrow's messages went out at their time, once.
    const scheduled = gateway.idsOf(6).filter((id) => rows.has(id));
    expect(scheduled.every((id) => gateway.handedOver.get(id) === 1)).toBe(true);
    // Usage has what it counted before the loss, and each change since of a row whose counted state is known.
    const changed = new Set(report?.changed_messages);
    const closed = new Set(
      gateway.tables.rows('messages').flatMap((row) => (row.usage_closed === true ? [row.message_id] : [])),
    );
    for (const id of report?.unknown_messages ?? []) expect(closed).toContain(id);
    expect(gateway.idsOf(6, 8).filter((id) => closed.has(id))).toEqual([]);
    const expected = gateway.stories.flatMap(({ message: { message_id: id } }): [string, number][] => {
      const [was, is] = [truth.get(id), rows.get(id)];
      const restored = survivors.has(id) || changed.has(id) ? was : atTime.get(id);
      return [
        [statusOf(was), 1],
        ...(is === undefined || closed.has(id)
          ? []
          : ([
              [statusOf(restored), -1],
              [statusOf(is), 1],
            ] as [string, number][])),
      ];
    });
    const found = await usageByStatus(gateway);
    expect(found).toEqual(sums(expected));
    expect(Object.entries(found).filter(([, count]) => count < 0)).toEqual([]);
    expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBe(gateway.stories.length);
  }, 120_000);
});
