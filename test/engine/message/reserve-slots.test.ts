/**
 * Pacing on the real table, by many workers at a time of the test's own: the carrier never sees more segments in a second
 * than the pace, one-time passwords do not wait, and a worker that dies delays nobody else.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SendKind } from '../../../shared/contract/channels.ts';
import {
  type PacedMessage,
  type SlotReservations,
  slotReservations,
} from '../../../shared/message/dispatch/reserve-slots.ts';
import {
  dynamoSenderPaceStore,
  type SenderPaceStore,
} from '../../../shared/message/dispatch/sender-pace-store.dynamo.ts';
import { paceOf, type Slot } from '../../../shared/message/slot.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { virtualTime } from '../../support/simulation/virtual-time.ts';

const startMs = Date.parse('2026-11-20T10:00:00.000Z');
const workers = 20;
/** The most by which each worker's clock differs from the true time. */
const skewMaxMs = 40;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['sender_pace']);
});
afterAll(() => tables.drop());

interface Handed {
  readonly kind: SendKind;
  readonly segments: number;
  readonly atMs: number;
  readonly waitedMs: number;
}

/** Twenty workers with clocks of their own, and a queue that brings a message to any of them. */
function simulation(identity: string, seed: number) {
  const random = randomFrom(seed);
  const time = virtualTime(startMs);
  const handed: Handed[] = [];
  const counted = { reads: 0, writes: 0 };
  const table = dynamoSenderPaceStore(tables.dynamo, tables.names.sender_pace);
  const store: SenderPaceStore = {
    async read(sender) {
      counted.reads += 1;
      await time.sleep(2 + random() * 10);
      return time.hold(() => table.read(sender));
    },
    async replace(...change) {
      counted.writes += 1;
      await time.sleep(2 + random() * 10);
      const outcome = await time.hold(() => table.replace(...change));
      await time.sleep(2 + random() * 10);
      return outcome;
    },
  };
  const pool = Array.from({ length: workers }, () => {
    const skewMs = Math.round((2 * random() - 1) * skewMaxMs);
    const clock = () => new Date(time.now() + skewMs);
    return { clock, pace: slotReservations({ store, clock, sleep: time.sleep, random }) };
  });
  const anyWorker = () =>
    pool[Math.floor(random() * workers)] as { clock: () => Date; pace: SlotReservations };

  /** As the dispatch of the queue message; it may die before it reserves, or after it has its slot. */
  async function dispatch(message: PacedMessage, slot: Slot | undefined, deaths: number): Promise<void> {
    const { clock, pace } = anyWorker();
    const turn = await pace.waitForSlot(message, slot, async () => undefined);
    if (deaths > 0) {
      // The queue delivers it again, with the slot that its row had.
      time.at(time.now() + 45_000, () => void dispatch(message, slot, deaths - 1));
    } else if (turn.outcome === 'later') queue(message, turn.slot);
    else
      handed.push({
        kind: message.kind,
        segments: message.segments,
        atMs: time.now(),
        waitedMs: clock().getTime() - message.paceAtMs,
      });
  }

  function queue(message: PacedMessage, slot: Slot, deaths = 0): void {
    // A whole second early, and sometimes late.
    const lateMs = random() < 0.03 ? random() * 4000 : random() * 100;
    const shownMs = Math.max(time.now(), Date.parse(slot.at) - 1000 - random() * 1000 + lateMs);
    time.at(shownMs, () => void dispatch(message, slot, deaths));
  }

  const messageOf = (kind: SendKind, perSecond: number, segments: number): PacedMessage => ({
    identity,
    kind,
    perSecond,
    segments,
    paceAtMs: time.now(),
  });

  return {
    time,
    handed,
    counted,
    send(atMs: number, kind: SendKind, perSecond: number, segments = 1) {
      time.at(atMs, () => void dispatch(messageOf(kind, perSecond, segments), undefined, 0));
    },
    sendBulk(
      atMs: number,
      perSecond: number,
      segments: readonly number[],
      deaths: (index: number) => number = () => 0,
    ) {
      time.at(atMs, async () => {
        const messages = segments.map((count) => messageOf('bulk', perSecond, count));
        const slots = await anyWorker().pace.reserve(messages, 3000);
        for (const [index, slot] of slots.entries()) {
          const message = messages[index];
          if (message !== undefined) queue(message, slot, deaths(index));
        }
      });
    },
    /** The true seconds in which the carrier saw more than the pace. */
    tooFull(perSecond: number) {
      const { places } = paceOf(perSecond);
      return [...Map.groupBy(handed, ({ atMs }) => Math.floor(atMs / 1000))]
        .map(([second, some]) => [second, some.reduce((sum, { segments }) => sum + segments, 0), some.length])
        .filter(([, segments = 0, count = 0]) => count > 1 && segments > places);
    },
  };
}

describe('a sender with a pace, and 20 workers', () => {
  it('has never more than its pace in a second, and gives way to one-time passwords and single sends', async () => {
    const perSecond = 20;
    const world = simulation('paced', 1);
    for (let batch = 0; batch < 4; batch += 1)
      world.sendBulk(startMs + batch * 50, perSecond, Array<number>(100).fill(1));
    for (let index = 0; index < 12; index += 1) {
      world.send(startMs + 4000 + index * 900, 'otp', perSecond);
      world.send(startMs + 4100 + index * 700, 'single', perSecond, 1 + (index % 3));
    }
    await world.time.runUntil(startMs + 120_000);
    expect(world.tooFull(perSecond)).toEqual([]);
    expect(world.handed).toHaveLength(424);
    const longest = (kind: SendKind) =>
      Math.max(...world.handed.filter((each) => each.kind === kind).map(({ waitedMs }) => waitedMs));
    expect(longest('otp')).toBeLessThan(1500);
    expect(longest('single')).toBeLessThan(3500);
    // All but the late and the displaced reserve by the hundred.
    expect(world.counted.writes).toBeLessThan(150);
  });

  it('counts segments, and keeps low paces over long times', async () => {
    for (const perSecond of [0.2, 1, 3]) {
      const world = simulation(`slow ${perSecond}`, 2);
      world.sendBulk(startMs, perSecond, [1, 3, 2, 1, 1, 4, 1, 2, 1]);
      world.send(startMs + 2000, 'otp', perSecond);
      await world.time.runUntil(startMs + 300_000);
      expect(world.tooFull(perSecond)).toEqual([]);
      expect(world.handed).toHaveLength(10);
    }
  });

  it('is delayed by a dead worker for nothing but the messages that the worker had', async () => {
    const perSecond = 10;
    const ends = async (identity: string, deaths: (index: number) => number) => {
      const world = simulation(identity, 3);
      world.sendBulk(startMs, perSecond, Array<number>(100).fill(1), deaths);
      await world.time.runUntil(startMs + 200_000);
      expect(world.tooFull(perSecond)).toEqual([]);
      expect(world.handed).toHaveLength(100);
      return world.handed.filter(({ waitedMs }) => waitedMs < 16_000).length;
    };
    const undisturbed = await ends('all live', () => 0);
    const disturbed = await ends('some die', (index) => (index % 10 === 4 ? 1 : 0));
    expect(disturbed).toBeGreaterThanOrEqual(undisturbed - 12);
  });

  it('has single sends of many workers at once with little more than one write for each', async () => {
    const perSecond = 50;
    const world = simulation('burst', 4);
    for (let index = 0; index < 200; index += 1) world.send(startMs, 'single', perSecond);
    await world.time.runUntil(startMs + 60_000);
    expect(world.tooFull(perSecond)).toEqual([]);
    expect(world.handed).toHaveLength(200);
    expect(Math.max(...world.handed.map(({ waitedMs }) => waitedMs))).toBeLessThan(9000);
    expect(world.counted.writes).toBeLessThan(300);
  });
});
