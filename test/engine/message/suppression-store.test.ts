/** Whose messages are suppressed, in memory as in the table: the state follows from the newest change, in any order. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../../../shared/message/message.ts';
import type { SuppressionChange } from '../../../shared/message/suppression/suppression.ts';
import {
  dynamoSuppressedAmong,
  dynamoSuppressionStore,
  type SuppressionStore,
} from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['suppressions']);
});
afterAll(() => tables.drop());

const start = new Date('2026-11-20T10:00:00.000Z');
const recipient = '+447700900123';
let clients = 0;
function aClient(): string {
  clients += 1;
  return `client-${clients}`;
}

function change(
  client_id: string,
  second: number,
  changed: Partial<SuppressionChange> = {},
): SuppressionChange {
  const at = addSeconds(start, second);
  return {
    client_id,
    recipient,
    scope: 'messages',
    source: 'client',
    at,
    cause: `at ${second}`,
    ...changed,
  };
}

function ordersOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    ordersOf(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  );
}

describe.each<[string, () => SuppressionStore]>([
  ['in memory', () => inMemoryStores().suppressions],
  ['in the table', () => dynamoSuppressionStore(tables.dynamo, tables.names.suppressions, () => start)],
])('suppressions %s', (_where, newStore) => {
  it('begin with a change and end with another', async () => {
    const [store, client] = [newStore(), aClient()];
    expect(await store.get(client, recipient)).toBeUndefined();
    expect((await store.change(change(client, 1, { reason: 'STOP' }))).outcome).toBe('changed');
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'messages', reason: 'STOP' });
    expect((await store.change(change(client, 2, { scope: undefined }))).outcome).toBe('changed');
    expect(await store.get(client, recipient)).toBeUndefined();
  });

  it('of everything are not narrowed by a STOP, only by the client', async () => {
    const [store, client] = [newStore(), aClient()];
    await store.change(change(client, 1, { scope: 'all', reason: 'fraud' }));
    await store.change(change(client, 2, { reason: 'STOP', source: 'keyword' }));
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'all', reason: 'fraud' });
    await store.change(change(client, 3));
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'messages' });
  });

  it('are of one client', async () => {
    const [store, client] = [newStore(), aClient()];
    await store.change(change(client, 1));
    expect(await store.get(aClient(), recipient)).toBeUndefined();
  });

  it('that are asked for again take the new scope and reason, and keep their beginning', async () => {
    const [store, client] = [newStore(), aClient()];
    await store.change(change(client, 1, { reason: 'first' }));
    const again = await store.change(change(client, 2, { scope: 'all' }));
    expect(again.outcome).toBe('same');
    const found = await store.get(client, recipient);
    expect(found).toMatchObject({ scope: 'all', suppressed_at: '2026-11-20T10:00:01.000Z' });
    expect(found).not.toHaveProperty('reason');
  });

  it('recognize a repeat of the change that began them, whatever came after', async () => {
    const [store, client] = [newStore(), aClient()];
    await store.change(change(client, 1));
    await store.change(change(client, 2, { scope: 'all' }));
    expect((await store.change(change(client, 1))).outcome).toBe('changed');
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'all' });
  });

  it.each<[string, SuppressionChange['source'], boolean]>([
    ['START of the person', 'keyword', false],
    ['an administrator', 'admin', false],
    ['the client', 'client', true],
  ])("that %s ended begin again by a carrier's refusal: %s %s", async (_who, source, begins) => {
    const [store, client] = [newStore(), aClient()];
    const refusal = (second: number) =>
      change(client, second, { source: 'carrier', isRefusal: true, cause: `msg_${second}` });
    await store.change(change(client, 1, { source: 'keyword' }));
    expect((await store.change(refusal(2))).outcome).toBe('same');
    expect(await store.get(client, recipient)).toMatchObject({ source: 'keyword' });
    await store.change(change(client, 3, { source, scope: undefined }));
    for (const second of [4, 5, 5]) {
      const { outcome } = await store.change(refusal(second));
      expect(outcome === 'outdated').toBe(!begins);
      expect((await store.get(client, recipient)) !== undefined).toBe(begins);
    }
    // A newer STOP counts.
    await store.change(change(client, 6, { source: 'keyword' }));
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'messages' });
  });

  it("of a carrier's refusal begin where nobody ended any, and are the same for a repeat", async () => {
    const [store, client] = [newStore(), aClient()];
    const refusal = change(client, 1, { source: 'carrier', isRefusal: true, cause: 'msg_1' });
    expect((await store.change(refusal)).outcome).toBe('changed');
    expect((await store.change(refusal)).outcome).toBe('changed');
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'messages', source: 'carrier' });
    const ended = change(client, 2, { source: 'keyword', scope: undefined });
    expect((await store.change(ended)).outcome).toBe('changed');
    expect((await store.change(refusal)).outcome).toBe('outdated');
  });

  it('that the person has ended stay so by the person, whatever the client says after it', async () => {
    const store = newStore();
    const client = aClient();
    await store.change(change(client, 1, { source: 'keyword' }));
    await store.change(change(client, 2, { scope: undefined, source: 'keyword' }));
    const { outcome, row } = await store.change(change(client, 3, { scope: undefined }));
    expect([outcome, row.source]).toEqual(['same', 'keyword']);
  });

  it('are listed by number, in pages, without those that ended', async () => {
    const [store, client] = [newStore(), aClient()];
    const numbers = Array.from({ length: 7 }, (_, index) => `+44770090012${index}`);
    for (const each of numbers) await store.change(change(client, 1, { recipient: each }));
    for (const each of numbers.slice(2, 4))
      await store.change(change(client, 2, { recipient: each, scope: undefined }));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list(client, 2, after);
      expect(page.suppressions.length).toBeLessThanOrEqual(2);
      seen.push(...page.suppressions.map((each) => each.recipient));
      after = page.nextAfter;
    } while (after !== undefined);
    expect(seen).toEqual(numbers.filter((_, index) => index < 2 || index > 3));
  });
});

/** Both databases run the same adapter: hundreds of calls for each case are made in memory only. */
describe('suppressions in any order', () => {
  const newStore = () => inMemoryStores().suppressions;

  it('follow the newest change, in whatever order and however often changes arrive', async () => {
    const changes = fc.uniqueArray(
      fc.record({ second: fc.nat(50), scope: fc.constantFrom('messages', 'all', undefined) } as const),
      { selector: ({ second }) => second, minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(changes, fc.infiniteStream(fc.nat(5)), async (all, order) => {
        const [store, client] = [newStore(), aClient()];
        const arrivals = [...all, ...[...order.take(6)].flatMap((index) => all[index] ?? [])];
        for (const { second, scope } of arrivals) await store.change(change(client, second, { scope }));
        const newest = all.toSorted((one, other) => other.second - one.second).at(0);
        expect((await store.get(client, recipient))?.scope).toBe(newest?.scope);
      }),
      { numRuns: 30 },
    );
  });

  const stop = (second: number) => ({ second, scope: 'messages', source: 'keyword' }) as const;
  const startAt = (second: number) => ({ second, scope: undefined, source: 'keyword' }) as const;
  const endedByAdmin = (second: number) => ({ second, scope: undefined, source: 'admin' }) as const;
  const refused = (second: number) =>
    ({ second, scope: 'messages', source: 'carrier', isRefusal: true }) as const;

  it.each<
    [
      string,
      boolean,
      readonly ReturnType<typeof refused | typeof stop | typeof startAt | typeof endedByAdmin>[],
    ]
  >([
    ['refused', true, [refused(3)]],
    ['STOP, refused', true, [stop(1), refused(3)]],
    ['START, refused', false, [startAt(2), refused(3)]],
    ['STOP, START, refused', false, [stop(1), startAt(2), refused(3)]],
    ['refused, START, refused', false, [refused(1), startAt(2), refused(3)]],
    ['START, refused, STOP', true, [startAt(2), refused(3), stop(4)]],
    ['START, STOP, refused', true, [startAt(1), stop(2), refused(3)]],
    [
      'START, refused, STOP, ended by an administrator',
      false,
      [startAt(1), refused(2), stop(3), endedByAdmin(4)],
    ],
    ['ended by an administrator, refused', false, [endedByAdmin(2), refused(3)]],
  ])('are the same in whatever order this is processed: %s: %s', async (_what, isSuppressed, changes) => {
    for (const order of ordersOf(changes)) {
      const [store, client] = [newStore(), aClient()];
      for (const { second, ...rest } of order) await store.change(change(client, second, rest));
      expect([order, (await store.get(client, recipient)) !== undefined]).toEqual([order, isSuppressed]);
    }
  });

  const endedByClient = (second: number) => ({ second, scope: undefined, source: 'client' }) as const;

  it.each<[string, boolean, readonly Partial<SuppressionChange & { second: number }>[]]>([
    ['STOP, ended by the client', false, [stop(1), endedByClient(4)]],
    ['STOP, ended by the client, refused', false, [stop(1), endedByClient(4), refused(5)]],
    ['ended by the client where nothing was suppressed, refused', false, [endedByClient(4), refused(5)]],
    ['refused, ended by the client, refused', false, [refused(1), endedByClient(4), refused(5)]],
    [
      'STOP, ended by the client, refused, ended by the client, refused',
      false,
      [stop(1), endedByClient(4), refused(5), endedByClient(6), refused(7)],
    ],
    ['STOP, STOP, ended by the client, refused', true, [stop(1), stop(3), endedByClient(4), refused(5)]],
    [
      'STOP, ended by the client, stopped by the client',
      true,
      [stop(1), endedByClient(4), { second: 5, scope: 'all', source: 'client' }],
    ],
  ])('end with a START that is learned of late: %s: %s', async (_what, isSuppressed, changes) => {
    const [store, client] = [newStore(), aClient()];
    for (const { second = 0, ...rest } of changes) await store.change(change(client, second, rest));
    for (let time = 0; time < 2; time += 1) {
      const { row } = await store.change(change(client, 2, startAt(2)));
      expect((await store.get(client, recipient)) !== undefined).toBe(isSuppressed);
      // No refusal begins it again.
      expect(row.source === 'keyword' && row.scope === undefined).toBe(!isSuppressed);
    }
    // The STOP before it has no effect, whenever it is repeated.
    expect((await store.change(change(client, 1, stop(1)))).outcome).toBe('outdated');
  });
});

it('whose messages a dry run says would fail are those whose hand-over would not take place', async () => {
  const store = dynamoSuppressionStore(tables.dynamo, tables.names.suppressions, () => start);
  const client_id = aClient();
  const people = Array.from({ length: 120 }, (_, index) => `+44770090${1000 + index}`);
  const [messagesOnly = '', everything = '', ended = ''] = people;
  await store.change(change(client_id, 1, { recipient: messagesOnly }));
  await store.change(change(client_id, 1, { recipient: everything, scope: 'all' }));
  await store.change(change(client_id, 1, { recipient: ended }));
  await store.change(change(client_id, 2, { recipient: ended, scope: undefined }));
  await store.change(change(aClient(), 1, { recipient: people[3] as string }));
  const among = dynamoSuppressedAmong(tables.dynamo, tables.names.suppressions);
  const toAll = (more: Partial<Message> = {}) =>
    people.map((person) => aMessage({ client_id, recipient: person, ...more }));
  expect(await among(toAll())).toEqual(new Set([messagesOnly, everything]));
  const otp = { otp_id: 'otp_1', code_length: 6, expires_at: start.toISOString(), attempts_remaining: 5 };
  expect(await among(toAll({ otp }))).toEqual(new Set([everything]));
});
