/** Processes long lists: in chunks that fit into one call, or with limits on concurrency and rate. */
import type { Sleep } from './clock.ts';

/** Calls `work` for each item, in order. @throws the first error of `work`, after all calls have ended. */
export async function runPaced<Item>(
  items: readonly Item[],
  {
    atOnce,
    perSecond,
    sleep,
  }: {
    readonly atOnce: number;
    readonly perSecond: number;
    readonly sleep: Sleep;
  },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  // A chain of delays: each item waits for the one before.
  let turn: Promise<unknown> | undefined;
  const nextTurn = (): Promise<unknown> => {
    turn = turn?.then(() => sleep(1000 / perSecond)) ?? Promise.resolve();
    return turn;
  };
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await nextTurn();
      await work(item);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}
