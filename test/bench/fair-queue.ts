/**
 * A standard queue of SQS in virtual time: how long each message waits for a worker, by the order in which the queue
 * hands messages out. Its fair order is AWS's description of September 2026 (Amazon SQS Developer Guide, "How Amazon
 * SQS fair queues work"), by the share in flight alone; SQS also weighs time of processing, and its marks are rough.
 */

export interface IncomingRequest {
  /** The message's `MessageGroupId`. */
  readonly group: string;
  readonly atMs: number;
}

export interface Workers {
  readonly count: number;
  readonly batchSize: number;
  readonly batchMs: number;
}

/** Which group's oldest message is next, of those that have one waiting. */
export type Order = (waiting: readonly Waiting[], inFlight: ReadonlyMap<string, number>) => Waiting;

export interface Waiting {
  readonly group: string;
  /** When its oldest message was queued. */
  readonly atMs: number;
}

/** From how many in flight, and above what share of all, a group counts as noisy. */
const noisy = { inFlight: 30, share: 0.1 };

export const oldestFirst: Order = (waiting) =>
  waiting.reduce((first, other) => (other.atMs < first.atMs ? other : first));

/** Quiet groups first; of the noisy, the one with the least in flight. A group is noisy until nothing of it waits. */
export function fairOrder(): Order {
  const marked = new Set<string>();
  return (waiting, inFlight) => {
    const all = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
    for (const [group, count] of inFlight) {
      if (count >= noisy.inFlight && count > all * noisy.share) marked.add(group);
    }
    for (const group of marked) if (!waiting.some((one) => one.group === group)) marked.delete(group);
    const quiet = waiting.filter(({ group }) => !marked.has(group));
    if (quiet.length > 0) return oldestFirst(quiet, inFlight);
    const held = ({ group }: Waiting): number => inFlight.get(group) ?? 0;
    return waiting.reduce((least, other) => (held(other) < held(least) ? other : least));
  };
}

/** Milliseconds from arrival to a worker, in the order of `arrivals`, which is by time. */
export function waits(
  arrivals: readonly IncomingRequest[],
  workers: Workers,
  order: Order,
): readonly number[] {
  const waited: number[] = [];
  const queues = new Map<string, number[]>();
  const inFlight = new Map<string, number>();
  let running: { readonly endsMs: number; readonly groups: readonly string[] }[] = [];
  let next = 0;
  let taken = 0;
  let nowMs = 0;

  while (taken < arrivals.length) {
    for (; (arrivals[next]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs; next += 1) {
      const { group } = arrivals[next] as IncomingRequest;
      const queue = queues.get(group);
      if (queue === undefined) queues.set(group, [next]);
      else queue.push(next);
    }
    for (const { groups } of running.filter(({ endsMs }) => endsMs <= nowMs)) {
      for (const group of groups) inFlight.set(group, (inFlight.get(group) ?? 0) - 1);
    }
    running = running.filter(({ endsMs }) => endsMs > nowMs);
    while (running.length < workers.count) {
      const groups = takeBatch();
      if (groups.length === 0) break;
      running.push({ endsMs: nowMs + workers.batchMs, groups });
    }
    const times = [...running.map(({ endsMs }) => endsMs), arrivals[next]?.atMs ?? Number.POSITIVE_INFINITY];
    nowMs = Math.min(...times);
  }
  return waited;

  function takeBatch(): readonly string[] {
    const groups: string[] = [];
    while (groups.length < workers.batchSize) {
      const waiting = [...queues].flatMap(([group, [oldest]]) =>
        oldest === undefined ? [] : [{ group, atMs: arrivals[oldest]?.atMs ?? 0 }],
      );
      if (waiting.length === 0) break;
      const { group } = order(waiting, inFlight);
      const index = queues.get(group)?.shift() ?? 0;
      waited[index] = nowMs - (arrivals[index]?.atMs ?? 0);
      inFlight.set(group, (inFlight.get(group) ?? 0) + 1);
      groups.push(group);
      taken += 1;
    }
    return groups;
  }
}
