/**
 * Which slots of a sender are reserved: a value, and what follows from it. No place is used twice: a kind of send reserves
 * its places in order, and a message gives way to a kind of higher priority that reserved its place later. Such a kind
 * reserves only places that are still ahead, and the message looks when its own has come, so it always sees that.
 *
 * The value stays small for any backlog: for each kind the position after the last reserved place, and for the two higher
 * kinds the stretches of reserved places of the last seconds and of the future.
 */
import * as z from 'zod/mini';
import { type SendKind, sendKinds } from '../../contract/channels.ts';
import { paceMax, paceMin } from '../../contract/rate-limits-and-caps.ts';
import {
  alignedFor,
  isBefore,
  type Pace,
  type Position,
  paceOf,
  placeNumber,
  positionAfter,
  positionFrom,
  positionOf,
  type Slot,
  slotAt,
  timeOf,
} from '../slot.ts';

const everyMax = 16;

const position = z.object({ startMs: z.int(), place: z.int() });
/** Places without the end. */
const stretch = z.object({ from: position, to: position });

export const senderSlots = z.object({
  /** The pace of the sender that was read last: it counts for all messages that wait. */
  pace: z.exactOptional(
    z.object({ perSecond: z.number().check(z.minimum(paceMin), z.maximum(paceMax)), sinceMs: z.number() }),
  ),
  /** The position after the last reserved place. */
  next: z.object({
    otp: z.exactOptional(position),
    single: z.exactOptional(position),
    bulk: z.exactOptional(position),
  }),
  /** Reserved places: apart, in order. */
  taken: z.object({ otp: z.array(stretch), single: z.array(stretch) }),
  /** The carrier throttles: until then only every n-th place is used. */
  slowed: z.exactOptional(
    z.object({
      sinceMs: z.number(),
      untilMs: z.number(),
      every: z.int().check(z.minimum(1), z.maximum(everyMax)),
    }),
  ),
});

export type SenderSlots = Readonly<z.output<typeof senderSlots>>;
type Stretch = Readonly<z.output<typeof stretch>>;

export const noSlots: SenderSlots = { next: {}, taken: { otp: [], single: [] } };

/** Messages look at their place for less than two seconds after it, by any clock. */
const keptMs = 5000;
/** The number of parts of a period at which a stretch can begin after a pause; it limits the number of stretches. */
const stretchesPerPeriod = 10;

const slowedMs = 60_000;
/** Throttled messages of the same moment count once. */
const slowAgainAfterMs = 5000;

export interface SlotRequest {
  readonly kind: SendKind;
  readonly perSecond: number;
  /** When the sender had this pace, as far as the process knows. */
  readonly paceAtMs: number;
  /** The segments of each message, in order. */
  readonly segments: readonly number[];
  readonly earliestMs: number;
}

interface Reserved {
  readonly reserved: readonly Slot[];
  readonly firstMs: number;
  readonly slots: SenderSlots;
}

export function reserve(
  before: SenderSlots,
  { kind, segments, earliestMs, ...known }: SlotRequest,
  now: Date,
): Reserved {
  const slots = withPace(before, known);
  const places = placesFor(kind, slots);
  const { pace } = places;
  const waiting = slots.next[kind];
  const soonest = positionFrom(earliestMs, pace);
  const continues = waiting !== undefined && !isBefore(waiting, soonest);
  const from = continues ? waiting : beginOfStretch(soonest, pace);
  let to = from;
  let firstMs: number | undefined;
  const reserved = segments.map((count) => {
    const found = firstFree(places, count, to);
    to = positionAfter(count, found, pace);
    firstMs ??= timeOf(found, pace);
    return slotAt(found, count, pace);
  });
  return { reserved, firstMs: firstMs ?? earliestMs, slots: withTaken(slots, kind, { from, to }, now) };
}

/** Whether the message may be handed over in its slot, or must reserve another. */
export function isUsable(
  slots: SenderSlots,
  message: Omit<SlotRequest, 'segments' | 'earliestMs'> & { readonly segments: number },
  slot: Slot,
): boolean {
  const places = placesFor(message.kind, withPace(slots, message));
  const at = positionOf(slot);
  const { startMs, place } = alignedFor(message.segments, at, places.pace);
  // Otherwise the pace has become lower since.
  const fits = startMs === at.startMs && place === at.place && place < places.pace.places;
  return fits && isInUse(places, at) && obstacle(places, message.segments, at) === undefined;
}

type PacedSlots = SenderSlots & Required<Pick<SenderSlots, 'pace'>>;

/** The slots with the later of the two paces: the row's and the one that the process knows. */
function withPace(
  slots: SenderSlots,
  { perSecond, paceAtMs }: Pick<SlotRequest, 'perSecond' | 'paceAtMs'>,
): PacedSlots {
  const isLater = slots.pace === undefined || slots.pace.sinceMs <= paceAtMs;
  return { ...slots, pace: isLater ? { perSecond, sinceMs: paceAtMs } : slots.pace };
}

/** The sender's places as a kind of send sees them. */
interface Places {
  readonly pace: Pace;
  /** Reserved by higher kinds. */
  readonly taken: readonly Stretch[];
  readonly slowed?: SenderSlots['slowed'];
}

function placesFor(kind: SendKind, { pace, taken, slowed }: PacedSlots): Places {
  const higher = { otp: [], single: taken.otp, bulk: [...taken.otp, ...taken.single] };
  return {
    pace: paceOf(pace.perSecond),
    taken: higher[kind],
    // One-time passwords are few, and go at the full pace.
    slowed: kind === 'otp' ? undefined : slowed,
  };
}

function firstFree(places: Places, segments: number, from: Position): Position {
  const { pace } = places;
  let at = alignedFor(segments, from, pace);
  for (;;) {
    const skipped = isInUse(places, at) ? obstacle(places, segments, at)?.to : positionAfter(1, at, pace);
    if (skipped === undefined) return at;
    at = alignedFor(segments, skipped, pace);
  }
}

/** While the carrier throttles, not all places are in use. */
function isInUse({ pace, slowed }: Places, at: Position): boolean {
  if (slowed === undefined || at.startMs >= slowed.untilMs) return true;
  return placeNumber(at, pace) % slowed.every === 0;
}

/** The reserved places of a higher kind that the message would need. */
function obstacle({ pace, taken }: Places, segments: number, at: Position): Stretch | undefined {
  const after = positionAfter(segments, at, pace);
  return taken.find(({ from, to }) => isBefore(at, to) && isBefore(from, after));
}

function beginOfStretch(at: Position, pace: Pace): Position {
  const step = Math.max(1, Math.floor(pace.places / stretchesPerPeriod));
  const place = Math.ceil(at.place / step) * step;
  return place < pace.places ? { ...at, place } : { startMs: at.startMs + pace.periodMs, place: 0 };
}

function withTaken(slots: SenderSlots, kind: SendKind, { from, to }: Stretch, now: Date): SenderSlots {
  const next = { ...slots.next, [kind]: to };
  if (kind === 'bulk') return { ...slots, next };
  const kept = slots.taken[kind].filter((each) => each.to.startMs > now.getTime() - keptMs);
  const last = kept.at(-1);
  const joined =
    last !== undefined && !isBefore(last.to, from)
      ? [...kept.slice(0, -1), { from: last.from, to }]
      : [...kept, { from, to }];
  return { ...slots, next, taken: { ...slots.taken, [kind]: joined } };
}

/** Halves the pace for a minute; again while the carrier goes on throttling, to a sixteenth at most. */
export function slowedDown(slots: SenderSlots, now: Date): SenderSlots {
  const nowMs = now.getTime();
  const { slowed } = slots;
  const isSlow = slowed !== undefined && slowed.untilMs > nowMs;
  if (isSlow && nowMs - slowed.sinceMs < slowAgainAfterMs) return slots;
  const every = isSlow ? Math.min(everyMax, slowed.every * 2) : 2;
  return { ...slots, slowed: { sinceMs: nowMs, untilMs: nowMs + slowedMs, every } };
}

/** The end of all reserved slots. */
export function endOf({ next }: SenderSlots): number {
  return Math.max(0, ...sendKinds.map((kind) => next[kind]?.startMs ?? 0));
}
