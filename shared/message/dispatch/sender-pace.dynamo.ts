/**
 * Keeps the pace of a sender across all workers. The table `sender-pace` has one row for each sender with a pace. Its
 * cursor is the time at which the next message may be handed over (a generic cell rate algorithm, GCRA).
 *
 * - A reservation is one conditional write: `next_ms = max(next_ms, soon) + step`. The value before the addition is the
 *   place, the time of the hand-over. A step is the time that the message's segments take at the pace. If the sender was
 *   idle, a second write is needed.
 * - A reservation may be up to 1 s ahead for a bulk message, 2 s for a single send and 3 s for a one-time password. So a
 *   bulk can use the whole pace if there are no other sends. No places are kept free for passwords: a password waits only
 *   for places that are already reserved.
 * - If the cursor is further ahead, the message goes back to its queue. To spread the returns, each kind of send has a
 *   second cursor, its line: each message adds its step, and returns at the time before the addition. When a bulk request
 *   stores its messages, it adds all of them to the line, so that each reaches a worker at about its time. The line is only
 *   an estimate, and never allows a hand-over. A message that finds no place joins the line again at its end.
 * - A worker calls the carrier at the place, or up to 100 ms later. If the worker was frozen for longer, it removes the
 *   attempt, and the message reserves another place. Clocks are at most 100 ms apart. So the calls within ten seconds have
 *   their places within 10.2 s. A step is 2 % longer than the pace requires, so that 10.2 s contain the places of ten
 *   seconds and one more message.
 * - If the carrier throttles a message, every message except one-time passwords takes two steps for the next minute.
 *
 * If a worker dies, or a message is not handed over after all, its place stays unused. The TTL deletes a row a week after
 * its last change.
 */
import type { SendKind } from '../../contract/channels.ts';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { CurrentPaceOf } from '../../sender/current-pace.ts';
import type { Message } from '../message.ts';
import { type PacedMessage, pacedNow, stepMsOf } from './paced-message.ts';

/** How far ahead a message may reserve its place, which is also the longest wait in a worker. */
const reachMs = { bulk: 1000, single: 2000, otp: 3000 } as const satisfies Record<SendKind, number>;
export const paceWaitSecondsMax = reachMs.otp / 1000;

/** The minimum time between reservation and place, for the reads and writes before the call. */
const aheadMsMin = 300;
const aheadMsMax = 2400;
const lateMsMax = 100;

const slowedMs = 60_000;
const keptDays = 7;

/** The largest integer that JavaScript stores exactly. */
const endlessMs = Number.MAX_SAFE_INTEGER;

type PaceContext = Context<'SENDER_PACE_TABLE'>;

/** How far ahead of the place a worker reserves it. The time grows while the worker's tables are slow. */
export interface WorkerPace {
  aheadMs: number;
}

export function newWorkerPace(): WorkerPace {
  return { aheadMs: aheadMsMin };
}

type WorkerContext = PaceContext & { readonly pace: WorkerPace };

/**
 * Reserves a place. If no place is near, joins the line.
 *
 * @returns the place at which the message is handed over, or the time at which the message must return
 */
export async function reservePlace(
  ctx: WorkerContext,
  message: PacedMessage,
): Promise<{ readonly outcome: 'place' | 'later'; readonly atMs: number }> {
  const { identity, kind } = message;
  const { aheadMs } = ctx.pace;
  const nowMs = ctx.clock().getTime();
  const stepMs = stepMsOf(message);
  const cursor = { identity, cursor: 'next_ms', stepMs } as const;
  const limitMs = nowMs + Math.max(reachMs[kind], aheadMs);
  const { isMoved, cursorMs, row } = await moveCursor(ctx, { ...cursor, fromMs: nowMs + aheadMs, limitMs });
  if (!isMoved) return { outcome: 'later', atMs: await joinLine(ctx, message, cursorMs, stepMs) };
  if (kind !== 'otp' && Number(row.slowed_until_ms) > nowMs)
    await moveCursor(ctx, { ...cursor, fromMs: nowMs });
  return { outcome: 'place', atMs: cursorMs };
}

/** Adds a step to the line of the message's kind. Returns the time at which the message should reach a worker. */
export async function joinLine(
  ctx: PaceContext,
  { identity, kind }: PacedMessage,
  fromMs: number,
  stepMs: number,
): Promise<number> {
  const cursor = `${kind}_line_ms` as const;
  return (await moveCursor(ctx, { identity, cursor, fromMs, stepMs })).cursorMs;
}

/** Waits until the reads that the call needs must begin. Does nothing if the sender has no pace. */
export async function waitToPrepare(ctx: WorkerContext, placeMs: number | undefined): Promise<void> {
  if (placeMs !== undefined) await sleepUntil(ctx, placeMs - ctx.pace.aheadMs);
}

/**
 * Waits for the place. Returns false if it was missed: a table is slow, so the worker reserves further ahead from now on.
 * Returns true at once if the sender has no pace.
 */
export async function waitForPlace(ctx: WorkerContext, placeMs: number | undefined): Promise<boolean> {
  if (placeMs === undefined) return true;
  await sleepUntil(ctx, placeMs);
  const { clock, pace } = ctx;
  const inTime = clock().getTime() <= placeMs + lateMsMax;
  pace.aheadMs = inTime ? Math.max(aheadMsMin, pace.aheadMs * 0.9) : Math.min(aheadMsMax, pace.aheadMs * 2);
  return inTime;
}

async function sleepUntil({ clock, sleep }: WorkerContext, atMs: number): Promise<void> {
  const ms = atMs - clock().getTime();
  if (ms > 0) await sleep(ms);
}

/** Slows the sender of a throttled message down. The message's outcome is already stored, so an error is only logged. */
export async function slowDownSender(
  ctx: PaceContext & { readonly currentPaceOf: CurrentPaceOf },
  message: Message,
): Promise<void> {
  const paced = await pacedNow(ctx, message);
  if (paced === undefined) return;
  const values = { ':until': ctx.clock().getTime() + slowedMs };
  await updatePace(ctx, paced.identity, { set: 'slowed_until_ms = :until', values }).catch((error: unknown) =>
    ctx.warn('the sender could not be slowed down', error),
  );
}

interface CursorMove {
  readonly identity: string;
  readonly cursor: 'next_ms' | `${SendKind}_line_ms`;
  readonly fromMs: number;
  readonly stepMs: number;
  readonly limitMs?: number;
}

/**
 * Moves the cursor by the step, starting from the later of its value and the given time, unless it is beyond the limit.
 *
 * @returns the cursor before the move; if it is beyond the limit, the current cursor
 */
async function moveCursor(
  ctx: PaceContext,
  { identity, cursor, fromMs, stepMs, limitMs = endlessMs }: CursorMove,
): Promise<{
  readonly isMoved: boolean;
  readonly cursorMs: number;
  readonly row: Readonly<Record<string, unknown>>;
}> {
  for (;;) {
    const moving = await updatePace(ctx, identity, {
      set: `${cursor} = ${cursor} + :step`,
      condition: `${cursor} BETWEEN :from AND :limit`,
      values: { ':step': stepMs, ':from': fromMs, ':limit': limitMs },
    });
    if (moving.applied) {
      const row = moving.response.Attributes ?? {};
      return { isMoved: true, cursorMs: Number(row[cursor]) - stepMs, row };
    }
    const { row = {} } = moving;
    const seenMs = row[cursor];
    if (typeof seenMs === 'number' && seenMs > limitMs) return { isMoved: false, cursorMs: seenMs, row };
    const beginning = await updatePace(ctx, identity, {
      set: `${cursor} = :after`,
      // An edited row may contain a value of any type.
      condition: `NOT attribute_type(${cursor}, :number) OR ${cursor} < :from`,
      values: { ':after': fromMs + stepMs, ':number': 'N', ':from': fromMs },
    });
    if (beginning.applied)
      return { isMoved: true, cursorMs: fromMs, row: beginning.response.Attributes ?? {} };
    // Another worker has moved the cursor meanwhile.
  }
}

function updatePace(
  { db, env, clock }: PaceContext,
  identity: string,
  { set, condition, values }: { readonly set: string; readonly condition?: string; readonly values: object },
) {
  return conditionalUpdate(db, {
    TableName: env.SENDER_PACE_TABLE,
    // Names that differ only in case are one sender, with one pace.
    Key: { sender: identity.toLowerCase() },
    UpdateExpression: `SET ${set}, purge_at = :purge_at`,
    ConditionExpression: condition,
    ExpressionAttributeValues: { ...values, ':purge_at': epochSeconds(addDays(clock(), keptDays)) },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
}
