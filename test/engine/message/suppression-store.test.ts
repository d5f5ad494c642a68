/** Whose messages are suppressed, in memory as in the table: the state follows from the newest change, in any order. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../../../shared/message/message.ts';
import { dynamoOptOutProgress } from '../../../shared/message/opt-out-list/opt-out-progress.dynamo.ts';
import { dynamoSuppressedAmong } from '../../../shared/message/suppression/suppressed-recipients.dynamo.ts';
import type { SuppressionChange } from '../../../shared/message/suppression/suppression.ts';
import {
  dynamoSuppressionChanges,
  dynamoSuppressionStore,
} from '../../../shared/message/suppression/suppression-store.dynamo.ts';
import type { SuppressionStore } from '../../../shared/message/suppression/suppression-store.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { memorySuppressionStore } from '../../support/doubles/memory-suppression-store.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';
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

describe.each<[string, () => SuppressionStore]>([
  ['in memory', memorySuppressionStore],
  ['in the table', () => dynamoSuppressionStore(tables.dynamo, tables.names.suppressions)],
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

  it('tell a repeat of the change that began them as such, whatever came after', async () => {
    const [store, client] = [newStore(), aClient()];
    await store.change(change(client, 1));
    await store.change(change(client, 2, { scope: 'all' }));
    expect((await store.change(change(client, 1))).outcome).toBe('changed');
    expect(await store.get(client, recipient)).toMatchObject({ scope: 'all' });
  });

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

describe('the comparison with a list', () => {
  it('reads what changed since a time, row by row, and not its own progress', async () => {
    const own = await createTables(['suppressions']);
    const name = own.names.suppressions;
    const [store, changes] = [
      dynamoSuppressionStore(own.dynamo, name),
      dynamoSuppressionChanges(own.dynamo, name),
    ];
    const progress = dynamoOptOutProgress(own.dynamo, name, 'Default');
    expect(await progress.read()).toBeUndefined();
    const saved = {
      startedAt: start,
      since: addSeconds(start, -60),
      phase: 'list',
      position: 'two',
    } as const;
    await progress.write(saved);
    expect(await progress.read()).toEqual(saved);
    const client = aClient();
    const numbers = Array.from({ length: 9 }, (_, index) => `+44770090012${index}`);
    for (const [second, each] of numbers.entries())
      await store.change(change(client, second, { recipient: each }));
    await store.change(change(client, 20, { recipient: numbers[0] ?? '', scope: undefined }));
    const seen: string[] = [];
    let after: Parameters<typeof changes.changedSince>[2];
    do {
      const page = await changes.changedSince(addSeconds(start, 5), 2, after);
      seen.push(...page.rows.map((row) => row.recipient));
      after = page.nextAfter;
    } while (after !== undefined);
    expect(seen).toEqual([numbers[0], ...numbers.slice(5)]);
    const all = await changes.changedSince(undefined, 100, undefined);
    expect(all.rows).toHaveLength(9);
    await own.drop();
  });
});

it('whose messages a dry run says would fail are those whose hand-over would not take place', async () => {
  const store = dynamoSuppressionStore(tables.dynamo, tables.names.suppressions);
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
