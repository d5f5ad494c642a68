/**
 * Reserves slots of senders with a pace. All reservations that a process makes for a sender at the same time are one
 * conditional write of the sender's row; after a conflict a process pauses and reads the row again. A process that dies
 * leaves at most its own slots unused.
 *
 * Why: docs/decisions/pacing-by-reserved-slots.md
 */

import type { SendKind } from '../../contract/channels.ts';
import { modeOf } from '../../contract/mode.ts';
import { addSeconds, type Clock, type Sleep } from '../../platform/clock.ts';
import { accessCache, ExpiringMap } from '../../platform/expiring-cache.ts';
import type { CurrentPace, CurrentPaceOf } from '../../sender/current-pace.ts';
import { type Message, sendKindOf } from '../message.ts';
import { isOver, type Slot } from '../slot.ts';
import { isUsable, reserve, type SenderSlots, type SlotRequest, slowedDown } from './sender-pace.ts';
import type { SenderPaceStore, SenderRow } from './sender-pace-store.dynamo.ts';

/** The longest wait in a worker for the slot of a paced sender. */
export const slotWaitSecondsMax = 3;

export interface PacedMessage {
  readonly identity: string;
  readonly kind: SendKind;
  readonly perSecond: number;
  /**
   * When the sender surely had this pace: when a worker read the rows of senders, or as long before the message was accepted
   * as a function keeps a row.
   */
  readonly paceAtMs: number;
  readonly segments: number;
}

type SlotWait<Prepared> =
  /** The message may be handed over now, until the slot is over: the time is checked last. */
  | { readonly outcome: 'now'; readonly prepared: Prepared; readonly slot: Slot }
  /** It must come again shortly before its slot. */
  | { readonly outcome: 'later'; readonly slot: Slot };

/** From the reservation to the earliest slot. A place counts as reserved only if the write has ended well before it. */
const reserveLeadMs = 300;
/** How far the clocks of two workers may be apart. */
const clocksApartMs = 100;
/** How long a worker waits for a slot; a message whose slot is later is received again. */
export const workerWaitMs = slotWaitSecondsMax * 1000;
/** A late bulk message has no hurry: with the others of its batch, which are probably late too, it is one write. */
const lateTogetherMs = 200;
/** A row that was written within this time is probably still the present one. */
const freshSeconds = 0.2;
const sendersMax = 1000;
/** The writes that one reservation tries: each fails because another process wrote before it. */
const attemptsMax = 50;
/** Fewer while a request waits: its messages are stored without slots, and each reserves one when it is due. */
const requestAttemptsMax = 10;
const conflictPauseMs = 20;
const conflictPausesMax = 10;

/**
 * The message as pacing sees it; undefined if its sender has no pace.
 *
 * @param current - the pace of its sender that was read after the message was accepted
 */
export function pacedMessageOf(message: Message, current?: CurrentPace): PacedMessage | undefined {
  const { identity = '', messages_per_second: perSecond = 0 } = {
    ...message.sender,
    ...(current && { messages_per_second: current.perSecond }),
  };
  if (identity === '' || !(perSecond > 0)) return undefined;
  return {
    // Test messages have slots of their own, so that they take none of a live message. No identity has a space.
    identity: modeOf(message.client_id) === 'test' ? `test ${identity}` : identity,
    kind: sendKindOf(message),
    perSecond,
    // The request may have used a row that was read as long ago as its function keeps it.
    paceAtMs: current?.readAtMs ?? Date.parse(message.created_at) - accessCache.maxAgeSeconds * 1000,
    segments: message.segments ?? 1,
  };
}

interface CurrentPaceLookup {
  readonly currentPaceOf: CurrentPaceOf;
  readonly warn: (message: string, error: unknown) => void;
}

/** The message with the pace that its sender has now. If the rows cannot be read, it keeps the one that it was accepted with. */
export async function pacedNow(
  { currentPaceOf, warn }: CurrentPaceLookup,
  message: Message,
): Promise<PacedMessage | undefined> {
  const { channel, sender } = message;
  if (sender === undefined) return undefined;
  const current = await currentPaceOf(channel, sender.identity).catch((error: unknown) =>
    warn('the present pace of the sender is not known', error),
  );
  return pacedMessageOf(message, current ?? undefined);
}

/** The outcome comes first, and this only slows: where too many workers write the row at once, one of them has done so. */
export async function slowDownSender(
  dependencies: CurrentPaceLookup & { readonly pace: Pick<SlotReservations, 'slowDown'> },
  message: Message,
): Promise<void> {
  const { pace, warn } = dependencies;
  const paced = await pacedNow(dependencies, message);
  if (paced === undefined) return;
  await pace.slowDown(paced.identity).catch((error: unknown) => warn('the sender is not slowed down', error));
}

/** The request for slots of these messages, which are of one sender and one kind and were sent together. */
export function slotRequestOf(
  { kind, perSecond, paceAtMs }: PacedMessage,
  messages: readonly PacedMessage[],
  earliestMs: number,
): SlotRequest {
  const segments = messages.map((message) => message.segments);
  return { kind, perSecond, paceAtMs, segments, earliestMs };
}

/** Other processes wrote before each attempt of a reservation. */
class SlotsContended extends Error {
  override readonly name = 'SlotsContended';
}

type Change = (slots: SenderSlots, now: Date) => SenderSlots;

export type SlotReservations = ReturnType<typeof slotReservations>;

export function slotReservations({
  store,
  clock,
  sleep,
  random,
}: {
  readonly store: SenderPaceStore;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: () => number;
}) {
  const seen = new ExpiringMap<SenderRow>(sendersMax);
  const waiting = new Map<string, Change[]>();
  const writing = new Map<string, Promise<void>>();
  const reading = new Map<string, { readonly ended: Promise<SenderRow>; next?: Promise<SenderRow> }>();

  /** The row as it is now or later: while one read is on its way, the looks that come share the next one. */
  function readFrom(identity: string): Promise<SenderRow> {
    const current = reading.get(identity);
    if (current !== undefined) {
      current.next ??= current.ended.then(
        () => readFrom(identity),
        () => readFrom(identity),
      );
      return current.next;
    }
    const ended = store.read(identity).finally(() => reading.delete(identity));
    reading.set(identity, { ended });
    return ended;
  }

  /** Makes the change with the next write of the sender's row, which makes all changes that are waiting by then. */
  async function change(
    identity: string,
    make: Change,
    { waitMs = 0, attempts = attemptsMax } = {},
  ): Promise<void> {
    const changes = waiting.get(identity) ?? [];
    waiting.set(identity, [...changes, make]);
    if (changes.length > 0) return writing.get(identity);
    const previous = writing.get(identity) ?? Promise.resolve();
    const written = Promise.all([previous.catch(() => {}), waitMs > 0 ? sleep(waitMs) : undefined]).then(
      () => {
        const all = waiting.get(identity) ?? [];
        waiting.delete(identity);
        const makeAll: Change = (slots, now) => all.reduce((changed, each) => each(changed, now), slots);
        return write(identity, makeAll, attempts);
      },
    );
    writing.set(identity, written);
    try {
      await written;
    } finally {
      if (writing.get(identity) === written) writing.delete(identity);
    }
  }

  async function write(identity: string, make: Change, attempts: number): Promise<void> {
    let row = seen.get(identity, clock()) ?? (await store.read(identity));
    for (let attempt = 1; ; attempt += 1) {
      const slots = make(row.slots, clock());
      if (slots === row.slots) return;
      if (await store.replace(identity, row, slots)) {
        const written = { slots, revision: row.revision + 1 };
        seen.set(identity, written, clock(), addSeconds(clock(), freshSeconds).getTime());
        return;
      }
      if (attempt >= attempts)
        throw new SlotsContended('the slots of a sender are reserved by too many at once');
      await sleep(random() * conflictPauseMs * Math.min(attempt, conflictPausesMax));
      // After the pause: what others have written during it would make the next write fail too.
      row = await store.read(identity);
    }
  }

  async function reserveOnce(
    first: PacedMessage,
    messages: readonly PacedMessage[],
    leadMs: number,
    options: { readonly waitMs?: number; readonly attempts?: number },
  ) {
    let made: Pick<ReturnType<typeof reserve>, 'reserved' | 'firstMs'> = { reserved: [], firstMs: 0 };
    const make: Change = (before, now) => {
      const request = slotRequestOf(first, messages, now.getTime() + leadMs);
      const { slots, ...rest } = reserve(before, request, now);
      made = rest;
      return slots;
    };
    await change(first.identity, make, options);
    return made;
  }

  /**
   * A write that took too long may have come after others looked at the place: it is left unused, and the next one is for
   * later. Nobody gives way to a bulk message.
   */
  async function reserveInTime(
    messages: readonly PacedMessage[],
    leadMs: number,
    options: { readonly waitMs?: number; readonly attempts?: number } = {},
  ): Promise<readonly Slot[]> {
    const [first] = messages;
    if (first === undefined) return [];
    for (let aheadMs = leadMs; ; aheadMs *= 2) {
      const { reserved, firstMs } = await reserveOnce(first, messages, aheadMs, options);
      if (first.kind === 'bulk' || firstMs >= clock().getTime() + clocksApartMs) return reserved;
    }
  }

  async function isStillFree(message: PacedMessage, slot: Slot): Promise<boolean> {
    const { slots } = await readFrom(message.identity);
    return isUsable(slots, message, slot);
  }

  return {
    /** A slot for each message, in order, or none where too many reserve at once; they are of one sender and one kind. */
    reserve: (messages: readonly PacedMessage[], leadMs: number): Promise<readonly Slot[]> =>
      reserveInTime(messages, leadMs, { attempts: requestAttemptsMax }).catch((error: unknown) => {
        if (error instanceof SlotsContended) return [];
        throw error;
      }),

    /**
     * Waits for the message's slot if that is near, and reserves one if it has none or has missed it.
     *
     * @param prepare - what takes time before the hand-over: it runs when the slot has come
     */
    async waitForSlot<Prepared>(
      message: PacedMessage,
      given: Slot | undefined,
      prepare: () => Promise<Prepared>,
    ): Promise<SlotWait<Prepared>> {
      const waitsUntilMs = clock().getTime() + workerWaitMs;
      let slot = given;
      for (let aheadMs = reserveLeadMs; ; aheadMs *= 2) {
        if (slot === undefined || isOver(slot, clock()))
          [slot] = await reserveInTime([message], aheadMs, {
            waitMs: message.kind === 'bulk' ? lateTogetherMs : 0,
          });
        if (slot === undefined) throw new Error('a message without a slot');
        const atMs = Date.parse(slot.at);
        if (atMs > waitsUntilMs) return { outcome: 'later', slot };
        const waitMs = atMs - clock().getTime();
        if (waitMs > 0) await sleep(waitMs);
        const [free, prepared] = await Promise.all([isStillFree(message, slot), prepare()]);
        if (free && !isOver(slot, clock())) return { outcome: 'now', prepared, slot };
        slot = undefined;
      }
    },

    /** The carrier throttles the sender: `slowedDown` in `sender-pace.ts` says by how much the pace is reduced. */
    slowDown: (identity: string): Promise<void> => change(identity, slowedDown),
  };
}
