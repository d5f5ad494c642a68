/** A clock that moves on only when nothing is left to do now, in the same order in every run. */

export interface VirtualTime {
  /** Milliseconds since the epoch. */
  now(): number;
  at(timeMs: number, run: () => void): void;
  sleep(ms: number): Promise<void>;
  /**
   * Moves the time on to a moment. The time stops while something runs that takes none of it, such as a call to a
   * real table.
   */
  runUntil(timeMs: number, isBusy?: () => boolean): Promise<void>;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export function virtualTime(startMs: number): VirtualTime {
  let now = startMs;
  let order = 0;
  const heap: Entry[] = [];

  function at(timeMs: number, run: () => void): void {
    push(heap, { at: Math.max(now, timeMs), order: order++, run });
  }

  return {
    now: () => now,
    at,
    sleep: (ms) => new Promise((resolve) => at(now + ms, resolve)),
    async runUntil(timeMs, isBusy = () => false) {
      for (;;) {
        const next = heap[0];
        if (next === undefined || next.at > timeMs) break;
        pop(heap);
        now = next.at;
        next.run();
        // All that follows from it without waiting, before time goes on.
        do await new Promise(setImmediate);
        while (isBusy());
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
