/** Whose messages are suppressed, in memory as in the table: the newest keyword wins, in whatever order keywords arrive. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../../../shared/message/message.ts';
import type { Keyword } from '../../../shared/message/suppression/suppression.ts';
import {
  applyKeyword,
  listClientSuppressions,
  removeSuppression,
  storeSuppression,
  suppressAfterRefusal,
  suppressedAmong,
  suppressionOf,
} from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import { type TestContext, testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { isSuppressed } from '../../support/message/hand-overs.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['suppressions']);
});
afterAll(() => tables.drop());

const start = new Date('2026-11-20T10:00:00.000Z');
const recipient = '+447700900123';
let clients = 0;

/** A client with a number of its own, in a store that others use too. */
function aWorld(ctx: TestContext) {
  clients += 1;
  const [client_id, number] = [`client-${clients}`, `+4474180${String(clients).padStart(5, '0')}`];
  const request = (second: number, source: 'client' | 'admin') => ({
    ...{ client_id, recipient, source },
    at: addSeconds(start, second),
  });
  return {
    ctx,
    client_id,
    number,
    says: (asksFor: Keyword['asksFor'], second: number, more: Partial<Keyword> = {}) =>
      applyKeyword(ctx, {
        ...{ asksFor, number, clients: [client_id], senders: [number], recipients: [recipient] },
        reason: 'The recipient answered STOP',
        at: addSeconds(start, second),
        ...more,
      }),
    put: (second: number, scope: 'messages' | 'all' = 'messages', source: 'client' | 'admin' = 'client') =>
      storeSuppression(ctx, { ...request(second, source), scope, reason: 'asked us' }),
    end: (second: number, source: 'client' | 'admin' = 'client') =>
      removeSuppression(ctx, request(second, source)),
    refused: (second: number) =>
      suppressAfterRefusal(
        ctx,
        aMessage({ client_id, recipient, from: number, message_id: `msg_${second}` }),
        addSeconds(start, second),
      ),
    own: () => suppressionOf(ctx, client_id, recipient),
    /** Whether a message is stopped: of this client from elsewhere, and of another client from the number. */
    stopped: async () => {
      const of = (id: string, from: string) =>
        isSuppressed(ctx, aMessage({ client_id: id, recipient }), from);
      return [await of(client_id, '+447418999999'), await of('client-other', number)];
    },
  };
}
type World = ReturnType<typeof aWorld>;

function ordersOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    ordersOf(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  );
}

describe.each([
  ['in memory', () => testContext()],
  ['in the table', () => testContext(tables)],
])('suppressions %s', (_where, newContext) => {
  it('of a STOP are of the client that wrote last by any sender, and of each client by that sender', async () => {
    const world = aWorld(newContext());
    await world.says('opt_out', 1);
    expect(await world.stopped()).toEqual([true, true]);
    const message = aMessage({ client_id: 'client-other', recipient });
    expect(await isSuppressed(world.ctx, message, '+447418999999')).toBe(false);
    expect(await isSuppressed(world.ctx, { ...message, client_id: 'client_a-test' }, world.number)).toBe(
      false,
    );
    await world.says('opt_in', 2);
    expect(await world.stopped()).toEqual([false, false]);
  });

  it('are of a sender alone where nobody is known to have written', async () => {
    const world = aWorld(newContext());
    await world.says('opt_out', 1, { clients: [] });
    expect(await world.stopped()).toEqual([false, true]);
  });

  it.each<[string, readonly (readonly [Keyword['asksFor'], number: number, second: number])[], boolean]>([
    [
      'STOP, START to the same number',
      [
        ['opt_out', 1, 1],
        ['opt_in', 1, 2],
      ],
      false,
    ],
    [
      'STOP, START to another number',
      [
        ['opt_out', 1, 1],
        ['opt_in', 2, 2],
      ],
      true,
    ],
    [
      'STOP to two numbers, START to one',
      [
        ['opt_out', 1, 1],
        ['opt_out', 2, 2],
        ['opt_in', 2, 3],
      ],
      true,
    ],
    [
      'START to another number, a STOP of before that',
      [
        ['opt_in', 2, 2],
        ['opt_out', 1, 1],
      ],
      true,
    ],
    [
      'STOP to two numbers, START to both, the first STOP again',
      [
        ['opt_out', 1, 1],
        ['opt_out', 2, 2],
        ['opt_in', 2, 3],
        ['opt_in', 1, 4],
        ['opt_out', 1, 1],
      ],
      false,
    ],
  ])(
    'of a pool last until a START to each number that was told STOP: %s: %s',
    async (_what, said, isStopped) => {
      const world = aWorld(newContext());
      const pool = `pool-${world.client_id}`;
      for (const [asksFor, index, second] of said) {
        const number = `${world.number}${index}`;
        await world.says(asksFor, second, { number, senders: [number, pool] });
      }
      const message = aMessage({ client_id: 'client-other', recipient });
      expect(await isSuppressed(world.ctx, message, pool)).toBe(isStopped);
      expect(await isSuppressed(world.ctx, message, `${world.number}1`)).toBe(isStopped);
    },
  );

  it('of everything are not narrowed by a STOP, only by the client, and keep their beginning', async () => {
    const world = aWorld(newContext());
    await world.put(1, 'all');
    await world.says('opt_out', 2);
    const suppressed_at = addSeconds(start, 1).toISOString();
    expect(await world.own()).toMatchObject({ scope: 'all', reason: 'asked us', suppressed_at });
    await world.put(3);
    expect(await world.own()).toMatchObject({ scope: 'messages', suppressed_at });
    expect(
      await isSuppressed(world.ctx, { ...aMessage({ client_id: world.client_id, recipient }) }, 'x'),
    ).toBe(true);
  });

  it("are ended by a client for itself only, which is told of the sender; by an administrator, the sender's too", async () => {
    const world = aWorld(newContext());
    await world.says('opt_out', 1);
    expect(await world.end(2)).toEqual({ stillFrom: [world.number] });
    expect(await world.end(3)).toBeUndefined();
    expect(await world.stopped()).toEqual([false, true]);
    expect(await world.end(4, 'admin')).toEqual({ stillFrom: [] });
    expect(await world.stopped()).toEqual([false, false]);
    expect(await world.end(5, 'admin')).toBeUndefined();
  });

  it.each<[string, boolean, (world: World) => Promise<unknown>]>([
    ['START', false, ({ says }) => says('opt_in', 2)],
    ['an administrator', false, ({ end }) => end(2, 'admin')],
    ['the client', true, ({ end }) => end(2)],
  ])("that %s ended begin again by a carrier's refusal: %s", async (_who, begins, ended) => {
    const world = aWorld(newContext());
    expect(await world.refused(1)).toBe(true);
    expect(await world.own()).toMatchObject({ source: 'carrier' });
    await ended(world);
    expect(await world.refused(3)).toBe(begins);
    expect((await world.own()) !== undefined).toBe(begins);
    await world.says('opt_out', 4);
    expect(await world.own()).toMatchObject({ scope: 'messages' });
  });

  it('are listed by number, in pages, without those that ended', async () => {
    const ctx = newContext();
    const { client_id } = aWorld(ctx);
    const numbers = Array.from({ length: 7 }, (_, index) => `+44770090012${index}`);
    const of = (each: string) => ({ client_id, recipient: each, source: 'client', at: start }) as const;
    for (const each of numbers) await storeSuppression(ctx, { ...of(each), scope: 'messages' });
    for (const each of numbers.slice(2, 4)) await removeSuppression(ctx, of(each));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await listClientSuppressions(ctx, client_id, 2, after);
      expect(page.suppressions.length).toBeLessThanOrEqual(2);
      seen.push(...page.suppressions.map((each) => each.recipient));
      after = page.nextAfter;
    } while (after !== undefined);
    expect(seen).toEqual(numbers.filter((_, index) => index < 2 || index > 3));
  });

  it('take all of many requests and keywords at one moment', async () => {
    const world = aWorld(newContext());
    const several = Array.from({ length: 4 }, (_, index) => index);
    await Promise.all(several.flatMap((index) => [world.put(index, 'all'), world.says('opt_out', index)]));
    expect(await world.own()).toMatchObject({ scope: 'all', keyword_at: addSeconds(start, 3).toISOString() });
    expect(await world.stopped()).toEqual([true, true]);
  });
});

/** Both databases run the same adapter: hundreds of calls for each case are made in memory only. */
describe('suppressions in any order', () => {
  const newWorld = () => aWorld(testContext());

  it('follow the newest keyword, STOP if two are equal, in whatever order and however often they arrive', async () => {
    const keywords = fc.array(
      fc.record({ second: fc.nat(5), asksFor: fc.constantFrom('opt_out', 'opt_in') } as const),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(keywords, fc.infiniteStream(fc.nat(5)), async (all, order) => {
        const world = newWorld();
        const arrivals = [...all, ...[...order.take(6)].flatMap((index) => all[index] ?? [])];
        for (const { second, asksFor } of arrivals) await world.says(asksFor, second);
        const newest = Math.max(...all.map(({ second }) => second));
        const isStopped = all.some(({ second, asksFor }) => second === newest && asksFor === 'opt_out');
        expect(await world.stopped()).toEqual([isStopped, isStopped]);
      }),
      { numRuns: 60 },
    );
  });

  const stop = (second: number) => (world: World) => world.says('opt_out', second);
  const startAt = (second: number) => (world: World) => world.says('opt_in', second);
  const put = (second: number) => (world: World) => world.put(second);
  const refused = (second: number) => (world: World) => world.refused(second);
  const byClient = (second: number) => (world: World) => world.end(second);
  const byAdmin = (second: number) => (world: World) => world.end(second, 'admin');
  type Step = (world: World) => Promise<unknown>;

  it.each<[string, boolean, readonly Step[]]>([
    ['STOP, refused', true, [stop(1), refused(3)]],
    ['START, refused', false, [startAt(2), refused(3)]],
    ['STOP, START, refused', false, [stop(1), startAt(2), refused(3)]],
    ['refused, START, refused', false, [refused(1), startAt(2), refused(3)]],
    ['START, refused, STOP', true, [startAt(2), refused(3), stop(4)]],
    ['START, STOP, refused', true, [startAt(1), stop(2), refused(3)]],
    ['STOP, suppressed by the client', true, [stop(1), put(3)]],
    ['START, suppressed by the client', true, [startAt(1), put(3)]],
  ])('are the same in whatever order this is processed: %s: %s', async (_what, isSuppressed, steps) => {
    for (const order of ordersOf(steps)) {
      const world = newWorld();
      for (const step of order) await step(world);
      expect([steps.length, (await world.own()) !== undefined]).toEqual([steps.length, isSuppressed]);
    }
  });

  it.each<[string, boolean, readonly Step[]]>([
    ['STOP, ended by the client, the STOP again', false, [stop(1), byClient(4), stop(1)]],
    ['STOP, ended by the client, an earlier STOP', false, [stop(2), byClient(4), stop(1)]],
    // Only keywords are compared with keywords: a clock that is behind does not lose a STOP.
    ['STOP, ended by the client, another STOP of before that', true, [stop(1), byClient(4), stop(3)]],
    ['STOP, ended by an administrator, another STOP of before that', true, [stop(1), byAdmin(4), stop(3)]],
    ['STOP, ended by the client, START, refused', false, [stop(1), byClient(4), startAt(2), refused(5)]],
    [
      'STOP, ended by the client, stopped by the client, START',
      true,
      [stop(1), byClient(4), put(5), startAt(2)],
    ],
    ['suppressed by the client, START', false, [put(1), startAt(3)]],
    ['STOP, stopped by the client, START after that', false, [stop(1), put(3), startAt(4)]],
  ])('%s: %s', async (_what, isSuppressed, steps) => {
    const world = newWorld();
    for (const step of steps) await step(world);
    expect((await world.own()) !== undefined).toBe(isSuppressed);
  });
});

it('whose messages a dry run says would fail are those whose hand-over would not take place', async () => {
  const ctx = testContext(tables);
  const { client_id, number } = aWorld(ctx);
  const people = Array.from({ length: 120 }, (_, index) => `+44770090${1000 + index}`);
  const [messagesOnly = '', everything = '', ended = '', stopped = '', ofOther = ''] = people;
  const of = (each: string, id = client_id) =>
    ({ client_id: id, recipient: each, source: 'client', at: start }) as const;
  await storeSuppression(ctx, { ...of(messagesOnly), scope: 'messages' });
  await storeSuppression(ctx, { ...of(everything), scope: 'all' });
  await storeSuppression(ctx, { ...of(ended), scope: 'messages' });
  await removeSuppression(ctx, of(ended));
  await storeSuppression(ctx, { ...of(ofOther, 'client-other'), scope: 'messages' });
  const { says } = aWorld(ctx);
  await says('opt_out', 1, { clients: [], number, senders: [number], recipients: [stopped] });
  const toAll = (more: Partial<Message> = {}) =>
    people.map((person) => aMessage({ client_id, recipient: person, from: number, ...more }));
  expect(await suppressedAmong(ctx, toAll())).toEqual(new Set([messagesOnly, everything, stopped]));
  const otp = { otp_id: 'otp_1', code_length: 6, expires_at: start.toISOString(), attempts_remaining: 5 };
  expect(await suppressedAmong(ctx, toAll({ otp }))).toEqual(new Set([everything]));
});
