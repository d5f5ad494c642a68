/**
 * A gateway with messages in every state, whose table of messages is lost after the time that is restored. What happens to it
 * before and after goes by the gateway's own stores, relay and counting, with a carrier and an endpoint that keep what they got.
 */
import { randomUUID } from 'node:crypto';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { restoredTables } from '../../../bin/admin/restored-tables.ts';
import { enqueueScheduled } from '../../../shared/message/dispatch/scheduled-entries.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { expireOverdue } from '../../../shared/relay/expire-messages.ts';
import { readChanges, relay } from '../../../shared/relay/relay.ts';
import type { RestoreDependencies } from '../../../shared/restore/restore-page.ts';
import { type Item, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import type { RunningWorkers } from '../../../shared/restore/stop-stage.lambda.ts';
import { dynamoMaintenance } from '../../../shared/restore/stop-stage.lambda.ts';
import { dynamoTableRows, restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { neverSetAside } from '../doubles/never-set-aside.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { inMemoryStores } from '../engine/stores.ts';
import type { ConnectionName } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';
import { aMessage } from '../message/example-message.ts';
import { usageCounter } from '../usage/count-usage.ts';
import { keptProgress } from './kept-progress.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const pageRows = 50;
/** How many ways of a message there are; each has messages with and without a webhook. */
const wayCount = 10;

/** What a message was at the time, and what became of it before the loss. */
interface Story {
  readonly message: Message;
  readonly way: number;
}

/** @param hasStream - whether the stream of messages survives the loss */
export function lostTable(
  total: number,
  { hasStream = false, clientIdOf = (index: number): string => `client-${index % 7}` } = {},
) {
  let now = start;
  const clock = (): Date => now;
  let records: StreamRecord[] = [];
  /** What the stream still has; undefined: there is none. */
  let inStream: StreamRecord[] | undefined = hasStream ? [] : undefined;
  let recordCount = 0;
  const tables = inMemoryTables({
    onChange({ table, before, after }) {
      if (table !== 'messages') return;
      recordCount += 1;
      const record: StreamRecord = {
        eventID: `record-${recordCount}`,
        dynamodb: {
          SequenceNumber: String(recordCount),
          ApproximateCreationDateTime: Math.floor(now.getTime() / 1000),
          ...(before === undefined ? {} : { OldImage: before }),
          ...(after === undefined ? {} : { NewImage: after }),
        },
      };
      records.push(record);
      inStream?.push(record);
    },
  });
  const stores = inMemoryStores(tables, clock);
  const handedOver = new Map<string, number>();
  const posted = new Map<string, number>();
  const outbound: string[] = [];
  const webhooks = {
    dueItemIndex: stores.dueItemIndex,
    clock,
    newRevision: () => 'r',
    retentionDays: 30,
    queue: {
      async send(_lane: unknown, entries: readonly { readonly message: object }[]) {
        for (const { message } of entries) {
          const { delivery } = message as { delivery?: { delivery_id: string } };
          if (delivery === undefined) throw new Error('this gateway has one destination of each event');
          posted.set(delivery.delivery_id, (posted.get(delivery.delivery_id) ?? 0) + 1);
          await stores.deliveries.create({ ...delivery, state: 'acknowledged' } as never);
        }
      },
    },
  };
  const queue = {
    enqueue: async (entries: readonly { readonly messageId: string }[]) =>
      void outbound.push(...entries.map(({ messageId }) => messageId)),
  };

  /** The relay and the counting of usage, of what has changed since. */
  async function followChanges(): Promise<void> {
    while (records.length > 0) {
      const batch = records;
      records = [];
      const { changes, unreadable } = readChanges(batch);
      if (unreadable.some(({ dynamodb }) => dynamodb?.NewImage === undefined)) throw new Error('no image');
      await relay(
        {
          outbound: queue,
          webhooks: webhooks as never,
          accountUrlOf: async () => undefined,
          endpointsOf: async () => [],
          setAside: neverSetAside,
          warn: () => undefined,
          clock,
        },
        changes,
      );
      await usageCounter(tables, { start: now })(batch);
    }
  }

  /** Hands over what its queue has, as `dispatch-message` does; the carrier takes every message. */
  async function handOver(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      await stores.messages.transition(id, { to: 'queued', at: now });
      const claim = await stores.messages.claim(id, {
        claimId: randomUUID(),
        at: now,
        leaseSeconds: 30,
      });
      if (claim.outcome !== 'claimed') continue;
      handedOver.set(id, (handedOver.get(id) ?? 0) + 1);
      await stores.messages.transition(id, { to: 'sent', at: now });
    }
  }

  async function deliver(ids: Iterable<string>): Promise<void> {
    for (const id of ids) await stores.messages.transition(id, { to: 'delivered', at: now, reported: true });
  }

  function story(index: number): Story {
    const way = index % wayCount;
    const { webhook_url, queued_at, ...base } = aMessage({
      message_id: newId('msg', now),
      client_id: clientIdOf(index),
      recipient: `+4477009${String(index).padStart(5, '0')}`,
      country: 'GB',
      segments: 1,
      created_at: now.toISOString(),
      queued_at: now.toISOString(),
      expires_at: addSeconds(now, 3 * 86_400).toISOString(),
    });
    const isScheduled = way === 6 || way === 7 || way === 8;
    return {
      way,
      message: {
        ...base,
        ...(Math.floor(index / wayCount) % 2 === 0 ? { webhook_url: webhook_url ?? '' } : {}),
        ...(isScheduled
          ? { status: 'scheduled', scheduled_at: addSeconds(now, way === 6 ? 86_400 : 1200).toISOString() }
          : { status: 'queued', queued_at: queued_at ?? '' }),
      },
    };
  }

  const stories: Story[] = [];
  const idsOf = (...ways: readonly number[]): string[] =>
    stories.filter(({ way }) => ways.includes(way)).map(({ message }) => message.message_id);

  async function accept(count: number): Promise<string[]> {
    const fresh = Array.from({ length: count }, (_, index) => story(stories.length + index));
    await stores.messages.createMany(fresh.map(({ message }) => message));
    stories.push(...fresh);
    await followChanges();
    return fresh.map(({ message }) => message.message_id);
  }

  /** Rows as DynamoDB has them, by the names of tables. */
  const itemsOf = (table: ConnectionName): Item[] =>
    tables.rows(table).map((row) => marshall(row, { removeUndefinedValues: true }));
  const snapshots = new Map<string, readonly Item[]>();

  /** Everything as it is now is what point-in-time recovery restores. */
  function rememberTables(): Date {
    for (const table of restorableTables) {
      const name = table.replaceAll('-', '_') as ConnectionName;
      snapshots.set(sideTableName(name, now), itemsOf(name));
    }
    kept = new Map(snapshots);
    return now;
  }

  let kept = new Map(snapshots);
  /** Point-in-time recovery can restore to that time again, after the side tables were deleted. */
  function keepTablesOf(to: Date): void {
    for (const [name, items] of kept) if (name.endsWith(sideTableName('', to))) snapshots.set(name, items);
  }

  const progress = keptProgress();
  const workers = { on: true, turns: [] as string[] };

  function dependencies(kill: Kill = noKill()): RestoreDependencies {
    const port = <Port extends object>(given: Port): Port => killable(given, kill);
    return {
      tables: restoredTables((table) => table.replaceAll('-', '_')),
      sideTables: port({
        windowOf: async () => undefined,
        exists: async (table: string, to: Date) => snapshots.has(sideTableName(table, to)),
        restore: async (table: string, to: Date) => snapshots.has(sideTableName(table, to)),
        drop: async (table: string, to: Date) => void snapshots.delete(sideTableName(table, to)),
        async page(tableName: string, segment: number, segments: number, after: Item | undefined) {
          const all = snapshots.get(tableName) ?? itemsOf(tableName as ConnectionName);
          const ofSegment = all.filter((_, index) => index % segments === segment);
          const from = Number(after?.from?.N ?? 0);
          const items = ofSegment.slice(from, from + pageRows);
          const isLast = from + pageRows >= ofSegment.length;
          return { items, next: isLast ? undefined : { from: { N: String(from + pageRows) } } };
        },
      }),
      streamRecords: port({
        async read(_table: string, use: (record: StreamRecord) => void) {
          for (const record of inStream ?? []) use(record);
          return inStream && start;
        },
      }),
      rows: port(dynamoTableRows(tables.dynamo)),
      workers: port({
        find: async () => ({
          mappings: ['m', 'count'],
          counting: ['count'],
          schedules: ['s'],
          scheduleGroup: 'g',
        }),
        async turn({ mappings }: RunningWorkers, state: 'on' | 'off') {
          workers.turns.push(`${mappings} ${state}`);
          workers.on = state === 'on';
          return true;
        },
      }),
      maintenance: port(dynamoMaintenance(tables.dynamo, tables.names.limit_overrides)),
      messages: port({ transition: stores.messages.transition }),
      dueItemIndex: port({ add: stores.dueItemIndex.add }),
      progress: port(progress),
      settleSeconds: 0,
      clock,
      sleep: async () => undefined,
      report: () => undefined,
    };
  }

  /** The run of each minute, and the hand-over of what it enqueues. */
  async function runMinutes(until: Date): Promise<void> {
    const run = {
      dueItemIndex: stores.dueItemIndex,
      messages: stores.messages,
      outbound: queue,
      setAside: neverSetAside,
      clock,
      budgetMs: 60_000,
    };
    for (; now < until; now = addSeconds(now, 3600)) {
      await enqueueScheduled(run);
      await expireOverdue(run);
      await handOver(outbound.splice(0));
      await followChanges();
    }
  }

  return {
    stores,
    tables,
    stories,
    idsOf,
    accept,
    handOver,
    deliver,
    followChanges,
    rememberTables,
    keepTablesOf,
    dependencies,
    runMinutes,
    handedOver,
    posted,
    workers,
    clock,
    outbound,
    pass: (seconds: number) => {
      now = addSeconds(now, seconds);
    },
    total,
    loseStream: () => {
      inStream = undefined;
    },
    lose: (id: string) =>
      tables.dynamo.send(new DeleteCommand({ TableName: tables.names.messages, Key: { message_id: id } })),
    spoil: (id: string) =>
      tables.dynamo.send(
        new UpdateCommand({
          TableName: tables.names.messages,
          Key: { message_id: id },
          UpdateExpression: 'SET segments_ = :text REMOVE recipient',
          ExpressionAttributeValues: { ':text': 'spoilt' },
        }),
      ),
  };
}
