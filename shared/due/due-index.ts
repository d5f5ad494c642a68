/**
 * The due index contains `due_at`: the time at which a worker must look at a row if nothing else has happened.
 *
 * Fields. A row that is not finished has `due_at` (ISO 8601) and `due_shard` (0 to 31, by a hash of its id). Both are
 * absent if no worker needs to look at the row. They are the keys of the sparse index `due`, which also has the fields of a
 * queue entry, so `queue-due-rows` reads only the index. The tables `messages` and `webhook-deliveries` have such an index.
 * The index of `webhook-deliveries` contains deliveries and resends, which both go to the retry queue of webhooks.
 *
 * These writes set `due_at`:
 * - The write that creates the row sets it to 90 seconds after the row is queued. If a queue delays the row (at most 15
 *   minutes), to 90 seconds after that delay. If the row waits longer, to the end of the wait.
 * - A write that makes the row wait for a known time sets it: for a retry, a pace, an unknown outcome, the next step of a
 *   resend.
 * - A worker that finds that the row must wait sets it: to the row's end, or to the next leg of a fallback.
 * - The write that finishes the row removes it. A failed webhook is finished only after its alert is sent. A claim does not
 *   change `due_at`: if a worker dies, another one continues after the queue's visibility timeout. A typical row costs two
 *   index units, for its creation and its end.
 *
 * Once a minute, the function `queue-due-rows` reads all shards of both indexes in parallel, each with an equal part of the
 * time and of the limit. It reads 90 seconds ahead: until the next run, plus 30 seconds in case that run is late. It queues
 * each row with a delay until `due_at`, and then moves `due_at`: by two minutes, doubled each time, at most an hour.
 * `due_looks` counts these moves, and each write of a worker resets it. A move never skips the row's end (`expires_at`).
 * The move requires an unchanged `due_at`, so a row that was meanwhile finished or moved is not changed.
 *
 * Bounds:
 * - Rows that are due for the first time come before rows that were already queued.
 * - While more than 10,000 messages wait in a queue, no row is queued there a second time. The row stays due for a later
 *   run.
 * - At most 2,000 rows a second are queued from each index. The log line `due rows` contains the number of rows that were
 *   not queued.
 *
 * Bad rows. If a row cannot be read, or its queue refuses it, it is logged, counted, and moved by an hour, so it does not
 * delay other rows.
 *
 * Crashes. If a run dies between queuing a row and moving it, the row is queued twice. The worker reads the row with a
 * consistent read and acts only on its state, so the second queue message has no effect. If a queue loses a message, the
 * row is queued again at its next `due_at`. A wait ends on time by an SQS delay, or by the index if the queue message is
 * lost.
 *
 * Why: docs/decisions/due-index.md
 */
import * as z from 'zod/mini';
import { addSeconds, earlierOf, laterOf } from '../platform/clock.ts';
import { shardOf } from '../platform/ids.ts';

export const dueShards = 32;
/** If a queue loses a message, the row is queued again this long after the message's time. */
export const lostAfterSeconds = 90;
/** How far ahead a run reads: until the next run, plus a margin. */
export const aheadSeconds = 90;
const firstMoveSeconds = 120;
export const movedMaxSeconds = 3600;

/** The fields of a row; an undefined value removes the field. */
export interface DueFields {
  readonly due_at: string | undefined;
  readonly due_shard: string | undefined;
  readonly due_looks: undefined;
}

/** The schema of these fields in a row. */
export const dueRowFields = {
  due_at: z.optional(z.iso.datetime()),
  due_shard: z.optional(z.string()),
  due_looks: z.optional(z.int()),
};

/** Returns the fields of a row that a worker must look at by `dueAt`, or of a finished row if it is undefined. */
export function dueFields(id: string, dueAt: Date | undefined): DueFields {
  if (dueAt === undefined) return { due_at: undefined, due_shard: undefined, due_looks: undefined };
  return { due_at: dueAt.toISOString(), due_shard: String(shardOf(id, dueShards)), due_looks: undefined };
}

/** Returns when to look at a row whose queue message arrives at `time`. */
export function lookAfter(time: Date): Date {
  return addSeconds(time, lostAfterSeconds);
}

/** A `due_at` that is up to this much too early is kept, because writing the index costs more than an early look. */
const keptSeconds = 60;

/**
 * Returns the fields to write for a row whose queue message arrives at `time`; none if its `due_at` can stay.
 *
 * @param end - the row's end, which no look may miss
 */
export function movedAfter(
  id: string,
  time: Date,
  present: string | undefined,
  end: Date,
): Partial<DueFields> {
  const wanted = earlierOf(lookAfter(time), end);
  const isGood =
    present !== undefined &&
    present <= wanted.toISOString() &&
    present >= addSeconds(wanted, -keptSeconds).toISOString();
  return isGood ? {} : dueFields(id, wanted);
}

/** Returns the time of the next look, after the row was queued for the look at `dueAt`. */
export function nextDue(dueAt: Date, looks: number, now: Date, expiresAt?: Date): Date {
  const seconds = Math.min(movedMaxSeconds, firstMoveSeconds * 2 ** Math.min(looks, 10));
  const next = addSeconds(laterOf(dueAt, now), seconds);
  return expiresAt !== undefined && expiresAt > dueAt && expiresAt > now ? earlierOf(next, expiresAt) : next;
}
