/** Works through a list without flooding what is behind it: few items at a time, and so many a second at most. */

export interface Pace {
  readonly atOnce: number;
  readonly perSecond: number;
  /** Waits for as many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Calls `work` for each item, in order of the list. @throws what `work` throws first, once all under way ended. */
export async function paced<Item>(
  items: readonly Item[],
  { atOnce, perSecond, sleep }: Pace,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  // One after the other: a chain of pauses, each item taking its place in it.
  let turn = Promise.resolve();
  let isFirst = true;
  const nextTurn = (): Promise<void> => {
    if (isFirst) isFirst = false;
    else turn = turn.then(() => sleep(1000 / perSecond));
    return turn;
  };
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await nextTurn();
      await work(item);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
