/** A clock that moves on only when nothing is left to do now, in the same order in every run. */

export type VirtualTime = ReturnType<typeof virtualTime>;

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Times are milliseconds since the epoch. */
export function virtualTime(startMs: number) {
  let now = startMs;
  let order = 0;
  let held = 0;
  let resume = (): void => undefined;
  const heap: Entry[] = [];

  function at(timeMs: number, run: () => void): void {
    push(heap, { at: Math.max(now, timeMs), order: order++, run });
  }

  return {
    now: () => now,
    at,
    sleep: (ms: number) => new Promise<void>((resolve) => at(now + ms, resolve)),
    /** Stops the time until a call to something real, such as a table, has ended. */
    hold<T>(act: () => Promise<T>): Promise<T> {
      held += 1;
      return act().finally(() => {
        held -= 1;
        if (held === 0) resume();
      });
    },
    async runUntil(timeMs: number): Promise<void> {
      for (;;) {
        const next = heap[0];
        if (next === undefined || next.at > timeMs) break;
        pop(heap);
        now = next.at;
        next.run();
        // All that follows from it without waiting, before time goes on: a tick comes after every settled promise, and
        // costs much less than a turn of the event loop, which only real calls need.
        await new Promise(process.nextTick);
        while (held > 0) {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
          await new Promise(process.nextTick);
        }
      }
      now = timeMs;
    },
  };
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Entry[], entry: Entry): void {
  let place = heap.length;
  heap.push(entry);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(entry, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    const right = heap[2 * place + 2];
    if (left === undefined) break;
    const useRight = right !== undefined && isBefore(right, left);
    const child = useRight ? right : left;
    if (!isBefore(child, last)) break;
    heap[place] = child;
    place = 2 * place + (useRight ? 2 : 1);
  }
  heap[place] = last;
}
