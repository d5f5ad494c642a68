/** Slots of one sender are reserved by many processes at the same time, with a virtual clock, and whatever the rows say. */
import { NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
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
import { addSeconds } from '../../../shared/platform/clock.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { inMemoryPace, inMemoryStores } from '../../support/engine/stores.ts';
import { brokenPacing } from '../../support/message/broken-pacing.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { simulatedPacing } from '../../support/message/simulated-pacing.ts';
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
  const slots: Slot[] = [];
  const all = Promise.all(
    Array.from({ length: processes }, async () => {
      const pace = slotReservations({ store, clock: () => new Date(time.now()), sleep: time.sleep, random });
      for (let reservation = 0; reservation < reservations; reservation += 1) {
        await time.sleep(random() * 400);
        // If others were faster each time, a request stores its message without a slot, and a worker reserves one.
        let reserved: readonly Slot[] = [];
        while (reserved.length === 0) reserved = await pace.reserve([fiftyASecond], 0);
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

it.each([
  [4000, 50],
  [1000, 8],
])(
  '%i bulk messages keep the pace of %i a second, and delay neither one-time passwords nor other clients',
  async (total, perSecond) => {
    const run = await simulatedPacing({ total, perSecond, seed: 1 });
    expect(run.bulkMs).toHaveLength(total);
    expect(brokenPacing(run)).toEqual([]);
  },
);

const stage = { sms: undefined, carriers: { sms: ['aws'], whatsapp: [] } } as unknown as Parameters<
  typeof selectSender
>[2];
const number = '+447700900001';
const named = (identity: string, country: string, pace: object = { messages_per_second: 1 }) => ({
  ...{ client_id: '*', destination: `sms ${country}`, identity },
  ...pace,
});

it.each<[string, readonly object[], readonly string[], string | undefined]>([
  ['that a request names, to the country of its row', [named(number, 'GB')], ['GB'], number],
  ['that a request names, to another country', [named(number, 'GB')], ['FR'], number],
  [
    'of which the row for other countries has no pace',
    [named(number, 'GB'), named(number, '*', {})],
    ['GB', 'FR'],
    undefined,
  ],
  ['whose rows write its name alike', [named('ACME', 'GB'), named('ACME', 'FR')], ['GB', 'FR'], undefined],
  ['whose rows differ in case', [named('ACME', 'GB'), named('Acme', 'FR')], ['GB', 'FR'], undefined],
])('a sender with a pace of one a second sends one in a second: %s', async (_case, rows, countries, from) => {
  const parsed = rows.map((row) => parseSenderRow({ ...row }));
  const pace = inMemoryPace(() => created);
  const seconds: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const country = countries[n % countries.length];
    const { sender } = selectSender(parsed, { channel: 'sms', country, from }, stage);
    const paced = pacedMessageOf(aMessage({ segments: 1, batch_id: 'bat_1', ...(sender ? { sender } : {}) }));
    const [slot] = paced === undefined ? [] : await pace.reserve([paced], 1000);
    // Without a slot it is handed over at once.
    seconds.push(slot === undefined ? 'at once' : String(slot.period_start));
  }
  expect(new Set(seconds).size).toBe(10);
});

type Row = { slots: Record<string, unknown>; revision: unknown; purge_at: unknown };

const edits: Readonly<Record<string, (row: Row) => object>> = {
  'slots that are a text': (row) => ({ ...row, slots: '' }),
  'no slots': ({ slots: _slots, ...row }) => row,
  'a revision that is a text': ({ revision, ...row }) => ({ ...row, revision: String(revision) }),
  'no revision, and the slots of nobody': ({ revision: _revision, ...row }) => ({ ...row, slots: null }),
  'a revision that cannot be counted on': (row) => ({ ...row, revision: new NumberValue('1e30') }),
  'the greatest revision': (row) => ({ ...row, revision: 1e15 }),
  'the revision 0': (row) => ({ ...row, revision: 0, slots: [] }),
  'a pace of 0': (row) => ({ ...row, slots: { ...row.slots, pace: { perSecond: 0, sinceMs: 0 } } }),
  'a pace that is a text': (row) => ({ ...row, slots: { ...row.slots, pace: '2' } }),
  'every 0th place in use': (row) => ({
    ...row,
    slots: { ...row.slots, slowed: { sinceMs: 0, untilMs: 1e15, every: 0 } },
  }),
};

it.each(Object.entries(edits))(
  'a row with %s holds no message back, and is replaced',
  async (_which, edit) => {
    let now = created;
    const { senderPaces: store, tables } = inMemoryStores();
    const pace = slotReservations({
      store,
      clock: () => now,
      sleep: async (ms) => {
        now = addSeconds(now, ms / 1000);
      },
      random: () => 0.5,
    });
    const message = (kind: PacedMessage['kind']) => ({ ...fiftyASecond, kind, perSecond: 2 });
    const bulk = (count: number) => pace.reserve(Array(count).fill(message('bulk')), 1000);
    const outcomeOf = async (kind: PacedMessage['kind'], slot?: Slot) =>
      (await pace.waitForSlot(message(kind), slot, async () => undefined)).outcome;
    const waiting = await bulk(200);
    const [row] = tables.rows('sender_pace') as unknown as [Row];
    await tables.dynamo.send(new PutCommand({ TableName: tables.names.sender_pace, Item: { ...edit(row) } }));
    now = addSeconds(created, 10);

    // A bulk message that waits keeps its place, and a one-time password goes at once.
    expect(
      await outcomeOf(
        'bulk',
        waiting.find(({ at }) => new Date(at) > now),
      ),
    ).toBe('now');
    expect(await outcomeOf('otp')).toBe('now');
    expect(now.getTime() - created.getTime()).toBeLessThan(13_000);
    // Further bulk messages go behind those that wait.
    const more = await bulk(4);
    expect(more).toHaveLength(4);
    expect(more[0]?.at && more[0].at > String(waiting.at(-1)?.at)).toBe(true);
    const further = await bulk(2);
    expect(further[0]?.at && further[0].at > String(more.at(-1)?.at)).toBe(true);
  },
);
