/**
 * One process of a function, as `npm run bench -- memory` starts it: calls the bundle's handler so many times, and tells
 * after each stretch what the process holds when garbage is collected.
 */
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventSettings } from './http-events.ts';
import { eventMakers } from './memory-events.ts';

export interface Order {
  readonly functionName: string;
  readonly bundleFile: string;
  readonly invocations: number;
  /** Where memory is taken, in parts of all invocations. */
  readonly marks: readonly number[];
  /** How long sockets are given to close before that. */
  readonly settleMs: number;
  readonly events: EventSettings;
}

/** Or a text that says what went wrong. */
export interface Told {
  /** At each mark. */
  readonly heapMb: readonly number[];
  readonly rssMb: readonly number[];
  readonly perSecond: number;
  /** How often each response came. */
  readonly answers: Readonly<Record<string, number>>;
}

/** Two more would only find out the rate at which the machine runs; memory is the same at one. */
const inFlight = 4;
/** So many that V8 also forgets the compiled code of what is no longer called: on each mark the same. */
const collections = 12;
const context = { getRemainingTimeInMillis: () => 25_000 };

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

process.once('message', (order: Order) => {
  run(order)
    .catch((error: unknown) => String(error))
    .then((told: Told | string) => process.send?.(told, () => process.exit()));
});

async function run({ functionName, bundleFile, invocations, marks, settleMs, events }: Order): Promise<Told> {
  const handler: Handler = createRequire(import.meta.url)(bundleFile).handler;
  const eventOf = eventMakers(events)[functionName];
  if (eventOf === undefined) throw new Error(`no events for ${functionName}`);
  const answers: Record<string, number> = {};
  const [heapMb, rssMb]: [number[], number[]] = [[], []];
  let next = 0;
  let busyMs = 0;
  for (const mark of marks) {
    const upTo = Math.round(invocations * mark);
    const began = performance.now();
    await Promise.all(Array.from({ length: inFlight }, () => invokeUpTo(upTo)));
    busyMs += performance.now() - began;
    await pause(settleMs);
    for (let times = 0; times < collections; times += 1) {
      globalThis.gc?.();
      await pause(5);
    }
    const { heapUsed, external, rss } = process.memoryUsage();
    heapMb.push((heapUsed + external) / 2 ** 20);
    rssMb.push(rss / 2 ** 20);
  }
  return { heapMb, rssMb, perSecond: (next * 1000) / busyMs, answers };

  /** Keeps nothing of an invocation, not even its time: eight bytes of each would show. */
  async function invokeUpTo(upTo: number): Promise<void> {
    while (next < upTo) {
      const number = next;
      next += 1;
      const answer = answerOf(await handler(eventOf?.(number), context));
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  }
}

/** A status, or how many queue messages of the batch failed. */
function answerOf(answer: unknown): string {
  const { statusCode, batchItemFailures } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof statusCode === 'number') return String(statusCode);
  const failed = Array.isArray(batchItemFailures) ? batchItemFailures.length : 0;
  return failed === 0 ? 'done' : `${failed} failed`;
}
