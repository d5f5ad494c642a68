/**
 * The due index: `due_at` is the time at which a worker must look at a row if nothing else happens.
 *
 * Fields. A row that is not finished has `due_at` (ISO 8601) and `due_shard` (0 to 31, by a hash of its id). Both are absent
 * if no worker needs to look. They are the keys of the sparse index `due`, which also has the fields that a queue entry
 * needs. So the clock function reads the index alone. The tables `messages` and `webhook-deliveries` have such an index. The
 * second of these indexes contains deliveries, and resends of many deliveries. Both go to the retry queue of webhooks.
 *
 * These writes set `due_at`:
 * - The write that creates the row: 90 seconds after the row was queued. If a queue delays the row (at most 15 minutes), 90
 *   seconds after that delay. If the row waits longer, the end of the wait.
 * - A write that makes the row wait for a known time: a retry, a pace, an unknown outcome, the next step of a resend.
 * - A worker that looks at the row and finds that it must wait: for its end, or for the next leg of a fallback.
 * - The write that finishes the row removes all fields. A failed webhook is finished when its alert is sent. A claim does
 *   not move `due_at`: if a worker dies, the visibility timeout of the queue makes another worker continue. A usual row
 *   costs two index units, one when it is created and one when it is finished.
 *
 * Once a minute the function `queue-due-rows` reads all shards of both indexes side by side, each with an equal part of the
 * time and of the bound. It reads 90 seconds ahead: until the next run, and 30 seconds more in case that run is late. It
 * puts each row on its queue with the delay until `due_at`, and then moves `due_at`: by two minutes, doubled each time, at
 * most an hour. `due_looks` counts these moves, and each write of a worker resets it. A move never skips the end of the row
 * (`expires_at`). The move requires that `due_at` has not changed since it was read, so a row that was finished or moved in
 * between stays as it is.
 *
 * Bounds:
 * - Rows that are due for the first time come before those that were queued already.
 * - While more than 10,000 messages wait in a queue, no row is queued in it a second time. The row stays due for a later
 *   run.
 * - At most 2,000 rows a second of each index are queued. The log line `due rows` has the number of rows that a run left.
 *
 * Bad rows. If a row cannot be read, or its queue refuses it, the row is moved by an hour, logged and counted. It holds
 * nobody up.
 *
 * Crashes. If a run dies after it queues a row and before it moves the row, the row is queued twice. The worker reads the
 * row consistently and acts on its state, never on the index, so the second queue message changes nothing. If a queue loses
 * a message, the row is queued again at its next `due_at`. An SQS delay ends a wait on time. The index ends the wait if the
 * queue message is lost.
 *
 * Why: docs/decisions/due-index.md
 */
import * as z from 'zod/mini';
import { addSeconds, earlierOf, laterOf } from '../platform/clock.ts';
import { shardOf } from '../platform/ids.ts';

export const dueShards = 32;
/** If a queue loses a message, the message is queued again this long after its time. */
export const lostAfterSeconds = 90;
/** How far ahead a run reads: until the next run, with a margin. */
export const aheadSeconds = 90;
const firstMoveSeconds = 120;
export const movedMaxSeconds = 3600;

/** The fields of a row; an undefined value removes the field. */
export interface DueFields {
  readonly due_at: string | undefined;
  readonly due_shard: string | undefined;
  readonly due_looks: undefined;
}

/** The fields, as stored in a row. */
export const dueRowFields = {
  due_at: z.optional(z.iso.datetime()),
  due_shard: z.optional(z.string()),
  due_looks: z.optional(z.int()),
};

/**
 * Returns the fields of a row that a worker must look at by `dueAt`. If it is undefined, returns the fields of a finished
 * row.
 */
export function dueFields(id: string, dueAt: Date | undefined): DueFields {
  if (dueAt === undefined) return { due_at: undefined, due_shard: undefined, due_looks: undefined };
  return { due_at: dueAt.toISOString(), due_shard: String(shardOf(id, dueShards)), due_looks: undefined };
}

/** Returns when to look at a row that a queue delivers at `time`. */
export function lookAfter(time: Date): Date {
  return addSeconds(time, lostAfterSeconds);
}

/** A time that is up to this much too early is kept, because a write of the index costs more than an early look. */
const keptSeconds = 60;

/**
 * Returns the fields to write for a row that a queue delivers at `time`. Returns none if its current `due_at` is good
 * enough.
 *
 * @param end - the end of the row, which no look may miss
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

/** Returns the time of the next look after a row was queued for the look at `dueAt`. */
export function nextDue(dueAt: Date, looks: number, now: Date, expiresAt?: Date): Date {
  const seconds = Math.min(movedMaxSeconds, firstMoveSeconds * 2 ** Math.min(looks, 10));
  const next = addSeconds(laterOf(dueAt, now), seconds);
  return expiresAt !== undefined && expiresAt > dueAt && expiresAt > now ? earlierOf(next, expiresAt) : next;
}
