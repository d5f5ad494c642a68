/** One run of `queue-due-rows`: queues a table's due rows (due-index.ts). */
import * as z from 'zod/mini';
import { isolateRefused, isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { lazily } from '../platform/expiring-cache.ts';
import { countMetric } from '../platform/log.ts';
import { aheadSeconds, dueShards, movedMaxSeconds, nextDue } from './due-index.ts';
import type { DueRows } from './due-rows.dynamo.ts';

/** Below the function's time limit, so that a run ends before the next one starts. */
const runBudgetMs = 40_000;
/** While more messages than this wait in a queue, no row is queued there a second time. */
const waitingMax = 10_000;
const rowsPerSecond = 2000;
const chunkSize = 25;

const dueRow = z.object({
  due_at: z.iso.datetime(),
  due_looks: z._default(z.int(), 0),
  expires_at: z.exactOptional(z.iso.datetime()),
});

interface DueRow<Entry> {
  /** The row, as stored in the index. */
  readonly row: Readonly<Record<string, unknown>>;
  readonly entry: Entry;
  readonly dueAt: Date;
  readonly looks: number;
  readonly expiresAt: Date | undefined;
}

export interface DueRun<Entry extends { readonly kind: string }> {
  readonly rows: DueRows;
  /** Returns the queue entry for a row of the index. @throws if the row is not valid. */
  readonly entryOf: (row: unknown, delaySeconds: number) => Entry;
  readonly enqueue: (entries: readonly Entry[]) => Promise<void>;
  readonly kinds: readonly Entry['kind'][];
  /** Returns how many messages wait in the queue of these entries. */
  readonly waiting: (kind: Entry['kind']) => Promise<number>;
}

/** @returns how many rows were queued, left and invalid, and the failures of shards */
export async function queueDueRows<Entry extends { readonly kind: string }>(
  context: Context,
  run: DueRun<Entry>,
) {
  const { clock, log, sleep } = context;
  const { rows } = run;
  const startedAt = clock();
  const endsAt = addSeconds(startedAt, runBudgetMs / 1000);
  const until = addSeconds(startedAt, aheadSeconds);
  const waiting = new Map(run.kinds.map((kind) => [kind, lazily(() => run.waiting(kind))]));
  const queuedNow = new Map<string, number>();
  const totals = { queued: 0, left: 0, bad: 0, cutShort: false };
  const failures: unknown[] = [];

  async function isFull(kind: Entry['kind']): Promise<boolean> {
    return ((await waiting.get(kind)?.()) ?? 0) + (queuedNow.get(kind) ?? 0) > waitingMax;
  }

  async function areAllFull(): Promise<boolean> {
    return (await Promise.all(run.kinds.map(isFull))).every(Boolean);
  }

  async function setBadAside(row: DueRow<Entry>['row'], error: unknown): Promise<void> {
    totals.bad += 1;
    const { message_id, delivery_id } = row;
    log.error('a due row could not be queued', { message_id, delivery_id, error });
    countMetric('InvalidRow');
    const { data: looks = 0 } = z.int().safeParse(row.due_looks);
    await rows.move(row, addSeconds(clock(), movedMaxSeconds), looks);
  }

  /** Returns the row if it can be queued now. */
  async function readyRow(row: DueRow<Entry>['row']): Promise<DueRow<Entry>[]> {
    try {
      const { due_at, due_looks: looks, expires_at } = dueRow.parse(row);
      const dueAt = new Date(due_at);
      const delaySeconds = Math.max(0, Math.ceil((dueAt.getTime() - clock().getTime()) / 1000));
      const entry = run.entryOf(row, delaySeconds);
      if (looks > 0 && (await isFull(entry.kind))) {
        totals.left += 1;
        return [];
      }
      return [
        { row, entry, dueAt, looks, expiresAt: expires_at === undefined ? undefined : new Date(expires_at) },
      ];
    } catch (error) {
      if (!isPermanentFault(error)) throw error;
      await setBadAside(row, error);
      return [];
    }
  }

  /** Returns how many rows were queued. */
  async function queueChunk(chunk: readonly DueRow<Entry>['row'][]): Promise<number> {
    const ready = (await Promise.all(chunk.map(readyRow))).flat();
    const refused = new Set<DueRow<Entry>>();
    await isolateRefused(
      ready,
      (some) => run.enqueue(some.map(({ entry }) => entry)),
      async (row, error) => {
        refused.add(row);
        await setBadAside(row.row, error);
      },
    );
    const queued = ready.filter((each) => !refused.has(each));
    for (const { entry } of queued) queuedNow.set(entry.kind, (queuedNow.get(entry.kind) ?? 0) + 1);
    totals.queued += queued.length;
    await Promise.all(
      queued.map(({ row, dueAt, looks, expiresAt }) =>
        rows.move(row, nextDue(dueAt, looks, clock(), expiresAt), looks + 1),
      ),
    );
    return queued.length;
  }

  /** Rows that are due for the first time come first, so that a backlog of others does not delay them. */
  async function processShard(shard: number): Promise<void> {
    let handled = 0;
    for (const which of ['first', 'again'] as const)
      for await (const page of rows.pages(shard, until, which)) {
        if (which === 'again' && page.length > 0 && (await areAllFull())) {
          totals.left += page.length;
          return;
        }
        for (const chunk of chunksOf(page, chunkSize)) {
          if (clock() >= endsAt) {
            totals.cutShort = true;
            return;
          }
          const earliestMs = startedAt.getTime() + (handled * 1000 * dueShards) / rowsPerSecond;
          const earlyMs = earliestMs - clock().getTime();
          if (earlyMs > 0) await sleep(earlyMs);
          handled += await queueChunk(chunk);
        }
      }
  }

  await Promise.all(
    Array.from({ length: dueShards }, (_, shard) =>
      processShard(shard).catch((error: unknown) => failures.push(error)),
    ),
  );
  return { ...totals, failures };
}
