/** The slots of one sender as a value: whatever is reserved, no second has more segments than the pace. */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SendKind, sendKinds } from '../../../shared/contract/channels.ts';
import {
  isUsable,
  noSlots,
  reserve,
  type SenderSlots,
  slowedDown,
} from '../../../shared/message/dispatch/sender-pace.ts';
import { isOver, paceOf, type Slot } from '../../../shared/message/slot.ts';

const startMs = Date.parse('2026-11-20T10:00:00.000Z');
const leadMs = 300;

interface Sent {
  readonly atMs: number;
  readonly kind: SendKind;
  readonly perSecond: number;
  readonly segments: readonly number[];
}

interface HandedOver {
  readonly kind: SendKind;
  readonly segments: number;
  readonly atMs: number;
  readonly sentAtMs: number;
}

interface Event {
  readonly atMs: number;
  readonly run: (atMs: number) => void;
}

/** What becomes of the messages of one sender: each comes at its slot, and gives way or is handed over. */
function handOvers(sends: readonly Sent[], throttledAtMs: readonly number[] = []): HandedOver[] {
  let slots: SenderSlots = noSlots;
  const handedOver: HandedOver[] = [];
  const events: Event[] = [];
  /** In the order of their times. */
  const add = (event: Event): void => {
    events.splice(events.findLastIndex(({ atMs }) => atMs <= event.atMs) + 1, 0, event);
  };
  const take = ({ kind, perSecond, atMs: paceAtMs }: Sent, segments: readonly number[], nowMs: number) => {
    const request = { kind, perSecond, paceAtMs, segments, earliestMs: nowMs + leadMs };
    const made = reserve(slots, request, new Date(nowMs));
    slots = made.slots;
    return made.reserved;
  };
  const come = (sent: Sent, segments: number, slot: Slot): void => {
    add({
      atMs: Date.parse(slot.at),
      run(atMs) {
        if (isOver(slot, new Date(atMs))) throw new Error(`the slot at ${slot.at} is over when it comes`);
        if (isUsable(slots, { ...sent, paceAtMs: sent.atMs, segments }, slot))
          handedOver.push({ kind: sent.kind, segments, atMs, sentAtMs: sent.atMs });
        else for (const again of take(sent, [segments], atMs)) come(sent, segments, again);
      },
    });
  };
  for (const sent of sends)
    add({
      atMs: sent.atMs,
      run: (atMs) =>
        take(sent, sent.segments, atMs).forEach((slot, index) => {
          come(sent, sent.segments[index] ?? 1, slot);
        }),
    });
  for (const atMs of throttledAtMs)
    add({
      atMs,
      run() {
        slots = slowedDown(slots, new Date(atMs));
      },
    });
  for (let event = events.shift(); event !== undefined; event = events.shift()) event.run(event.atMs);
  return handedOver;
}

/** Seconds that have more segments than the highest pace: a message of more segments than that has its second alone. */
function tooFull(handedOver: readonly HandedOver[], perSecond: number): string[] {
  const { periodMs, places } = paceOf(perSecond);
  const periods = Map.groupBy(handedOver, ({ atMs }) => Math.floor(atMs / periodMs));
  return [...periods]
    .filter(([, some]) => some.length > 1 && some.reduce((sum, { segments }) => sum + segments, 0) > places)
    .map(
      ([period, some]) => `${period}: ${some.map(({ kind, segments }) => `${kind} ${segments}`).join(', ')}`,
    );
}

const someSends = (perSecond: number) =>
  fc.array(
    fc.record({
      atMs: fc.integer({ min: startMs, max: startMs + 20_000 }),
      kind: fc.constantFrom(...sendKinds),
      perSecond: fc.constant(perSecond),
      segments: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
    }),
    { maxLength: 25 },
  );

describe('the slots of a sender', () => {
  it.each([0.2, 0.7, 1, 2.5, 3, 10, 50])('never have more than %s segments in a second', (perSecond) => {
    fc.assert(
      fc.property(someSends(perSecond), (sends) => {
        const handedOver = handOvers(sends);
        expect(tooFull(handedOver, perSecond)).toEqual([]);
        expect(handedOver).toHaveLength(sends.flatMap(({ segments }) => segments).length);
      }),
      { numRuns: 40 },
    );
  });

  it('go on at the new pace where it changes while messages wait', () => {
    const bulk = { atMs: startMs, kind: 'bulk', perSecond: 50, segments: Array(500).fill(1) } as const;
    const lower = { atMs: startMs + 2000, kind: 'single', perSecond: 20, segments: [1] } as const;
    const handedOver = handOvers([bulk, lower]);
    expect(handedOver).toHaveLength(501);
    expect(
      tooFull(
        handedOver.filter(({ atMs }) => atMs >= startMs + 3000),
        20,
      ),
    ).toEqual([]);
    // The places of the first ten seconds that are still allowed are used, and not only those after them.
    const inTime = handedOver.filter(({ atMs }) => atMs >= startMs + 4000 && atMs < startMs + 9000);
    expect(inTime).toHaveLength(100);
    const raised = handOvers([
      { ...bulk, perSecond: 20 },
      { ...lower, perSecond: 50 },
    ]);
    expect(tooFull(raised, 50)).toEqual([]);
    expect(raised).toHaveLength(501);
  });

  it('that a change between seconds and longer periods moves are all used again', () => {
    const slow = { atMs: startMs, kind: 'bulk', perSecond: 0.2, segments: [1, 1, 1, 1] } as const;
    const fast = { atMs: startMs + 2000, kind: 'bulk', perSecond: 5, segments: [1, 1, 1] } as const;
    for (const sends of [
      [slow, fast],
      [
        { ...fast, atMs: startMs, segments: Array(40).fill(1) },
        { ...slow, atMs: startMs + 1000 },
      ],
    ])
      expect(handOvers(sends)).toHaveLength(sends.flatMap(({ segments }) => segments).length);
  });

  const bulk = { atMs: startMs, kind: 'bulk', perSecond: 50, segments: Array(20_000).fill(1) } as const;

  it('are the next ones for a one-time password, then for single sends, whatever bulk messages have reserved', () => {
    const singles = Array.from(
      { length: 200 },
      () => ({ atMs: startMs + 60_000, kind: 'single', perSecond: 50, segments: [1] }) as const,
    );
    const otps = Array.from(
      { length: 20 },
      (_, index) =>
        ({ atMs: startMs + 61_000 + index * 130, kind: 'otp', perSecond: 50, segments: [1] }) as const,
    );
    const handedOver = handOvers([{ ...bulk, segments: Array(6000).fill(1) }, ...singles, ...otps]);
    const waited = (kind: SendKind) =>
      Math.max(
        ...handedOver.filter((each) => each.kind === kind).map(({ atMs, sentAtMs }) => atMs - sentAtMs),
      );
    expect(waited('otp')).toBeLessThan(800);
    // 200 singles and 20 one-time passwords are 4.4 s at 50 a second.
    expect(waited('single')).toBeLessThan(5500);
    expect(tooFull(handedOver, 50)).toEqual([]);
    // Each message that went before displaced one to the end, and no place stayed empty but those before a stretch.
    expect(waited('bulk')).toBeLessThan((6000 / 50 + 4.4 + 2) * 1000);
  });

  it('stay a small value for any backlog', () => {
    let slots = noSlots;
    for (let batch = 0; batch < 200; batch += 1) {
      const request = {
        ...bulk,
        segments: Array(1000).fill(1),
        paceAtMs: startMs,
        earliestMs: startMs + 3000,
      };
      slots = reserve(slots, request, new Date(startMs)).slots;
    }
    for (let index = 0; index < 2000; index += 1) {
      const nowMs = startMs + index * 37;
      const kind = index % 3 === 0 ? 'otp' : 'single';
      const request = {
        kind,
        perSecond: 50,
        segments: [1],
        paceAtMs: nowMs,
        earliestMs: nowMs + leadMs,
      } as const;
      slots = reserve(slots, request, new Date(nowMs)).slots;
    }
    expect(JSON.stringify(slots).length).toBeLessThan(8000);
  });

  it('are half as many for a minute after the carrier throttled, and all of them afterwards', () => {
    const throttledMs = startMs + 10_000;
    const sends = [{ ...bulk, segments: Array(6000).fill(1) }];
    // Many throttled at the same moment count once.
    const handedOver = handOvers(sends, [throttledMs, throttledMs + 10, throttledMs + 400]);
    const between = (fromSeconds: number, seconds: number) =>
      handedOver.filter(
        ({ atMs }) => atMs >= startMs + fromSeconds * 1000 && atMs < startMs + (fromSeconds + seconds) * 1000,
      ).length;
    expect(between(5, 4)).toBe(200);
    expect(between(12, 50)).toBe(1250);
    expect(between(72, 10)).toBe(500);
    expect(handedOver).toHaveLength(6000);
    const again = handOvers(sends, [throttledMs, throttledMs + 6000]);
    expect(
      again.filter(({ atMs }) => atMs >= throttledMs + 8000 && atMs < throttledMs + 28_000),
    ).toHaveLength(250);
  });
});
