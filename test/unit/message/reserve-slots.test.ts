/** Many processes that reserve slots of one sender at the same time, with a virtual clock. */
import { expect, it } from '@jest/globals';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import {
  type PacedMessage,
  pacedMessageOf,
  slotReservations,
} from '../../../shared/message/dispatch/reserve-slots.ts';
import type { SenderSlots } from '../../../shared/message/dispatch/sender-pace.ts';
import type { SenderPaceStore } from '../../../shared/message/dispatch/sender-pace-store.dynamo.ts';
import type { Slot } from '../../../shared/message/slot.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { virtualTime } from '../../support/simulation/virtual-time.ts';

const fiftyASecond = {
  identity: 'ACME',
  kind: 'bulk',
  perSecond: 50,
  segments: 1,
  paceAtMs: created.getTime(),
} as const;

const processes = 20;
const reservations = 20;

it('lets twenty processes that reserve all the time succeed, with few writes that conflict', async () => {
  const time = virtualTime(created.getTime());
  const random = randomFrom(1);
  const { senderPaces: rows } = inMemoryStores();
  const onItsWay = () => time.sleep(3 + random() * 9);
  let writes = 0;
  const store: SenderPaceStore = {
    async read(identity) {
      await onItsWay();
      const row = await rows.read(identity);
      await onItsWay();
      return row;
    },
    async replace(...change) {
      writes += 1;
      await onItsWay();
      const written = await rows.replace(...change);
      await onItsWay();
      return written;
    },
  };
  const message: PacedMessage = {
    identity: 'ACME',
    kind: 'bulk',
    perSecond: 50,
    segments: 1,
    paceAtMs: created.getTime(),
  };
  const slots: Slot[] = [];
  const all = Promise.all(
    Array.from({ length: processes }, async () => {
      const pace = slotReservations({ store, clock: () => new Date(time.now()), sleep: time.sleep, random });
      for (let reservation = 0; reservation < reservations; reservation += 1) {
        await time.sleep(random() * 400);
        // Where others were faster each time, a request stores its message without a slot, and a worker reserves one.
        let reserved: readonly Slot[] = [];
        while (reserved.length === 0) reserved = await pace.reserve([message], 0);
        slots.push(...reserved);
      }
    }),
  );
  while (slots.length < processes * reservations) {
    // Ends with the first that gives up.
    await Promise.race([all, time.runUntil(time.now() + 100)]);
  }
  expect(new Set(slots.map(({ at }) => at)).size).toBe(processes * reservations);
  expect(writes).toBeLessThan(4 * processes * reservations);
});

it('messages of a batch that are late together reserve other slots together, in one write', async () => {
  const time = virtualTime(created.getTime());
  const writes: SenderSlots[] = [];
  const { senderPaces: paces } = inMemoryStores();
  const store: typeof paces = {
    ...paces,
    async replace(identity, seen, slots) {
      await time.sleep(10);
      writes.push(slots);
      return paces.replace(identity, seen, slots);
    },
  };
  const common = { clock: () => new Date(time.now()), sleep: time.sleep, random: () => 0.5 };
  const all = Array.from({ length: 10 }, () => fiftyASecond);
  const slots = await slotReservations({ store: paces, ...common }).reserve(all, 0);
  await time.runUntil(time.now() + 60_000);
  const pace = slotReservations({ store, ...common });
  for (const slot of slots) {
    pace.waitForSlot(fiftyASecond, slot, async () => undefined);
    await time.runUntil(time.now() + 15);
  }
  await time.runUntil(time.now() + 1000);
  expect(writes.length).toBeGreaterThan(0);
  expect(writes.length).toBeLessThan(5);
});

it('looks of one worker share a read that began after each of their places had come', async () => {
  const time = virtualTime(created.getTime());
  const { senderPaces: paces } = inMemoryStores();
  const reads: { readonly begunMs: number; readonly endedMs: number }[] = [];
  const store: typeof paces = {
    ...paces,
    async read(identity) {
      const begunMs = time.now();
      await time.sleep(60);
      reads.push({ begunMs, endedMs: time.now() });
      return paces.read(identity);
    },
  };
  const common = { clock: () => new Date(time.now()), sleep: time.sleep, random: () => 0.5 };
  const all = Array.from({ length: 20 }, () => fiftyASecond);
  const slots = await slotReservations({ store: paces, ...common }).reserve(all, 1000);
  const pace = slotReservations({ store, ...common });
  const looked = slots.map(async (slot) => {
    expect((await pace.waitForSlot(fiftyASecond, slot, async () => undefined)).outcome).toBe('now');
    return { placeMs: Date.parse(slot.at), atMs: time.now() };
  });
  await time.runUntil(time.now() + 5000);
  for (const { placeMs, atMs } of await Promise.all(looked))
    expect(reads.some(({ begunMs, endedMs }) => begunMs >= placeMs && endedMs <= atMs)).toBe(true);
  expect(reads.length).toBeLessThan(10);
});

it('a test message takes no slot of a live one of the same sender', async () => {
  const newPace = () => {
    const { senderPaces: store } = inMemoryStores();
    return slotReservations({ store, clock: () => created, sleep: async () => {}, random: () => 0.5 });
  };
  const of = (client_id: string) => {
    const paced = pacedMessageOf(
      aMessage({ client_id, sender: { identity: 'ACME', messages_per_second: 1 } }),
    );
    if (paced === undefined) throw new Error('the sender has no pace');
    return paced;
  };
  const live = of('client_1');
  const test = of(clientIdIn('test', 'client_1'));
  const pace = newPace();
  await pace.reserve([test, test, test], 0);
  expect(await pace.reserve([live], 0)).toEqual(await newPace().reserve([live], 0));
});
