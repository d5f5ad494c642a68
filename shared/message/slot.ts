/**
 * A sender's time is divided into periods, and a period into places: as many as segments may be sent in it. A slot is a
 * place that one message has. Messages that keep to their slots never exceed the pace in any second.
 *
 * A period is a second; for a pace below one, as long as one segment takes. The places are in the first 0.75 s of it, so
 * that a call that begins at the last one still reaches the carrier in the same second, and so that clocks may differ.
 */
import * as z from 'zod/mini';

const marginMs = 50;
const spreadMs = 700;
/** A message that is later has lost its place: it would count in the next second. */
const latestMs = 900;

export interface Pace {
  readonly periodMs: number;
  readonly places: number;
}

/** Returns the pace in whole messages a second: 2.5 per second are 2. */
export function paceOf(messagesPerSecond: number): Pace {
  return messagesPerSecond >= 1
    ? { periodMs: 1000, places: Math.floor(messagesPerSecond) }
    : { periodMs: Math.ceil(1000 / messagesPerSecond), places: 1 };
}

/** A place: the start of its period in milliseconds since the epoch, and its number in it. */
export interface Position {
  readonly startMs: number;
  readonly place: number;
}

/** A slot as the row of a message has it. */
export const storedSlot = z.object({
  period_start: z.iso.datetime(),
  place: z.int(),
  /** The message is handed over at this time, or up to a second later. */
  at: z.iso.datetime(),
  /**
   * The sender of the slot, if it is a sender at another carrier than the first. The slot belongs to no other sender.
   */
  identity: z.exactOptional(z.string()),
});

export type Slot = Readonly<z.output<typeof storedSlot>>;

/**
 * Returns the slot of a message with the given number of segments. The message is handed over at the time of its last
 * place; until then another message can go first and take one of its places.
 */
export function slotAt({ startMs, place }: Position, segments: number, pace: Pace): Slot {
  const last = Math.min(place + segments, pace.places) - 1;
  return {
    period_start: new Date(startMs).toISOString(),
    place,
    at: new Date(timeOf({ startMs, place: last }, pace)).toISOString(),
  };
}

export function timeOf({ startMs, place }: Position, { places }: Pace): number {
  return startMs + marginMs + Math.floor((place * spreadMs) / places);
}

export function positionOf({ period_start, place }: Slot): Position {
  return { startMs: Date.parse(period_start), place };
}

/** True if the message has missed its slot. `waitForSlot` then reserves another. */
export function isOver({ period_start }: Slot, now: Date): boolean {
  return now.getTime() > Date.parse(period_start) + latestMs;
}

/** Returns the first position whose time is not earlier. */
export function positionFrom(timeMs: number, pace: Pace): Position {
  const startMs = Math.floor(timeMs / pace.periodMs) * pace.periodMs;
  const place = Math.ceil(((timeMs - startMs - marginMs) / spreadMs) * pace.places);
  return place < pace.places
    ? { startMs, place: Math.max(0, place) }
    : { startMs: startMs + pace.periodMs, place: 0 };
}

/** Returns the next position with places for the segments in one period; a longer message takes whole periods. */
export function alignedFor(
  segments: number,
  { startMs, place }: Position,
  { periodMs, places }: Pace,
): Position {
  // The pace has changed: the period has another length now.
  if (startMs % periodMs !== 0) return { startMs: Math.ceil(startMs / periodMs) * periodMs, place: 0 };
  const fits = place === 0 || place + segments <= places;
  return fits ? { startMs, place } : { startMs: startMs + periodMs, place: 0 };
}

/** Returns the position after a message with the given number of segments. */
export function positionAfter(
  segments: number,
  { startMs, place }: Position,
  { periodMs, places }: Pace,
): Position {
  const next = place + segments;
  if (next < places) return { startMs, place: next };
  return { startMs: startMs + Math.ceil(next / places) * periodMs, place: 0 };
}

export function isBefore(one: Position, other: Position): boolean {
  return one.startMs === other.startMs ? one.place < other.place : one.startMs < other.startMs;
}

/** Returns the number of a place, counted over all periods. */
export function placeNumber({ startMs, place }: Position, { periodMs, places }: Pace): number {
  return Math.floor(startMs / periodMs) * places + place;
}
