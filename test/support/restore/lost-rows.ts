/**
 * A gateway in memory whose tables are remembered at a time, as point-in-time recovery does, and lose rows after it. The
 * relay, the counting of usage and the runs of each minute are its own; the carrier and the endpoints keep what they got.
 */

import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { keysOf, restoredTables } from '../../../bin/admin/restored-tables.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import type { OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { relay } from '../../../shared/relay/relay.ts';
import type { HeldContext } from '../../../shared/restore/held-rows.dynamo.ts';
import type { RestoreContext, RestoreProgress } from '../../../shared/restore/restore-stage.ts';
import { type Item, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import type { RunningWorkers } from '../../../shared/restore/stop-stage.lambda.ts';
import { type RestorableTable, restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { alertFailure } from '../../../shared/webhook/deliver/alert-failure.ts';
import { deliveryStep } from '../../../shared/webhook/delivery.ts';
import { readDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { dispatchContext } from '../doubles/dispatch-context.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { outboundSqs, testContext } from '../engine/test-context.ts';
import type { ConnectionName } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';
import { dueRuns } from '../message/due-runs.ts';
import { onlyCarrier } from '../message/example-message.ts';
import { usageCounter } from '../usage/count-usage.ts';

export type Row = Readonly<Record<string, unknown>>;

const pageRows = 3;

const tableIn = (table: RestorableTable): ConnectionName => table.replaceAll('-', '_') as ConnectionName;

export function lostRows(start: Date) {
  let now = start;
  const clock = (): Date => now;
  let records: StreamRecord[] = [];
  let recordCount = 0;
  const tables = inMemoryTables({
    onChange({ table, before, after }) {
      if (table !== 'messages') return;
      recordCount += 1;
      const images = {
        ...(before === undefined ? {} : { OldImage: before }),
        ...(after === undefined ? {} : { NewImage: after }),
      };
      const SequenceNumber = String(recordCount);
      const ApproximateCreationDateTime = Math.floor(now.getTime() / 1000);
      const dynamodb = { SequenceNumber, ApproximateCreationDateTime, ...images };
      records.push({ eventID: `record-${recordCount}`, dynamodb });
    },
  });
  const stores = inMemoryStores(tables);
  const handedOver: string[] = [];
  const posted: string[] = [];
  const alerted: string[] = [];
  const queued: OutboundEntry[] = [];
  const webhooks: object[] = [];
  const sqs = outboundSqs(
    (entry) => queued.push(entry),
    (webhook) => webhooks.push(webhook),
  );
  const context = testContext(tables, {
    ...{ clock, sqs, newId: () => `at ${now.toISOString()}` },
    log: {
      ...{ info: () => {}, warn: () => {} },
      error: (_text, { delivery_id } = {}) => void alerted.push(String(delivery_id)),
    },
  });

  /** As `deliver-webhook` does with a queue message: it alerts about what has failed, and posts what has not. */
  async function work(queued: object): Promise<void> {
    const { delivery_id = '' } = queued as { readonly delivery_id?: string };
    const row = await readDelivery(context, delivery_id);
    if (row === undefined || deliveryStep(row, now).kind !== 'alert') {
      posted.push(JSON.stringify(queued));
      return;
    }
    await alertFailure(context, row);
  }

  /** The relay, and the counting of usage, of what has changed since. */
  async function followChanges(): Promise<void> {
    while (records.length > 0) {
      const batch = records;
      records = [];
      await relay({ ...context, accountUrlOf: async () => undefined }, batch);
      for (const message of webhooks.splice(0)) await work(message);
      await usageCounter(tables, { start: now })(batch);
    }
  }

  const worker = dispatchContext({
    ...stores.context,
    carriersFor: onlyCarrier({
      async handOver({ message }) {
        handedOver.push(message.message_id);
        return { outcome: 'accepted', carrierMessageId: `c-${message.message_id}` };
      },
    }),
    sqs,
    clock,
  });

  /** As `dispatch-message` does with a queue message; the carrier takes every message. */
  async function handOver(messageId: string): Promise<void> {
    await dispatch(worker, messageId);
  }

  /** The runs of each minute, once an hour, and the work that they queue. */
  async function runHours(hours: number): Promise<void> {
    const due = dueRuns(tables, clock);
    for (let hour = 0; hour < hours; hour += 1) {
      queued.push(...(await due.run()));
      for (const { message } of await due.runWebhooks()) await work(message);
      for (const { messageId, delaySeconds } of queued.splice(0)) {
        if (delaySeconds > 0) now = addSeconds(now, delaySeconds);
        await handOver(messageId);
      }
      await followChanges();
      now = addSeconds(now, 3600);
    }
  }

  const itemsOf = (table: ConnectionName): Item[] =>
    tables.rows(table).map((row) => marshall(row, { removeUndefinedValues: true }));
  /** The backups of point-in-time recovery, and the tables that it has restored. */
  const backups = new Map<string, readonly Item[]>();
  const snapshots = new Map<string, readonly Item[]>();

  let progress: RestoreProgress | undefined;
  const workers = { on: true, turns: [] as string[] };
  const keyIn = (table: RestorableTable, row: Row): Row =>
    Object.fromEntries(keysOf(table).map((key) => [key, row[key]]));

  const sideTables: RestoreContext['sideTables'] = {
    windowOf: async () => undefined,
    exists: async (table, to) => backups.has(sideTableName(table, to)),
    async restore(table, to) {
      const name = sideTableName(table, to);
      const isRestored = snapshots.has(name);
      snapshots.set(name, backups.get(name) ?? []);
      return isRestored;
    },
    drop: async (table, to) => void snapshots.delete(sideTableName(table, to)),
    async page(tableName, segment, segments, after) {
      const all = snapshots.get(tableName) ?? itemsOf(tableName as ConnectionName);
      const ofSegment = all.filter((_, index) => index % segments === segment);
      const from = Number(after?.from?.N ?? 0);
      const items = ofSegment.slice(from, from + pageRows);
      const isLast = from + pageRows >= ofSegment.length;
      return { items, next: isLast ? undefined : { from: { N: String(from + pageRows) } } };
    },
  };

  const heldContext = (kill: Kill): HeldContext => ({
    ...testContext({ ...tables, dynamo: killable(tables.dynamo, kill) }, { clock }),
    tables: restoredTables(tableIn),
    sideTables: killable(sideTables, kill),
  });

  return {
    stores,
    tables,
    workers,
    isRestoredBeside: (table: RestorableTable, to: Date) => snapshots.has(sideTableName(tableIn(table), to)),
    handedOver,
    posted,
    alerted,
    queued,
    clock,
    followChanges,
    handOver,
    runHours,
    pass: (seconds: number) => {
      now = addSeconds(now, seconds);
    },
    /** Rows that were written before the test begins: nothing follows from them. */
    async put(table: RestorableTable, ...rows: readonly Row[]): Promise<void> {
      for (const Item of rows)
        await tables.dynamo.send(new PutCommand({ TableName: tables.names[tableIn(table)], Item }));
      records = [];
    },
    async lose(table: RestorableTable, row: Row): Promise<void> {
      const Key = keyIn(table, row);
      await tables.dynamo.send(new DeleteCommand({ TableName: tables.names[tableIn(table)], Key }));
      records = [];
    },
    get: (table: RestorableTable, row: Row): Row | undefined => {
      const key = Object.entries(keyIn(table, row));
      return tables.rows(tableIn(table)).find((each) => key.every(([name, value]) => each[name] === value));
    },
    all: (table: RestorableTable): Row[] => tables.rows(tableIn(table)),
    /** Everything as it is now is what point-in-time recovery restores. */
    rememberTables(): Date {
      for (const table of restorableTables)
        backups.set(sideTableName(tableIn(table), now), itemsOf(tableIn(table)));
      return now;
    },
    restoring(kill: Kill = noKill()): RestoreContext {
      const port = <Port extends object>(given: Port): Port => killable(given, kill);
      return {
        ...heldContext(kill),
        workers: port({
          // One mapping was off before.
          find: async (which: 'all' | 'on') => ({
            mappings: which === 'all' ? ['m', 'off'] : ['m'],
            schedules: ['s'],
            scheduleGroup: 'g',
          }),
          async turn({ mappings }: RunningWorkers, state: 'on' | 'off') {
            workers.turns.push(`${mappings} ${state}`);
            workers.on = state === 'on';
            return true;
          },
        }),
        progress: port({
          read: async () => progress,
          write: async (value: RestoreProgress | undefined) => {
            progress = value;
          },
        }),
        settleSeconds: 0,
        report: () => undefined,
      };
    },
    held: (kill: Kill = noKill()): HeldContext => heldContext(kill),
  };
}
