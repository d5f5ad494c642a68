/** A row of `sender-pace` that a person made unreadable holds no message back, and the next reservation replaces it. */
import { NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { type PacedMessage, slotReservations } from '../../../shared/message/dispatch/reserve-slots.ts';
import { dynamoSenderPaceStore } from '../../../shared/message/dispatch/sender-pace-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { created } from '../../support/message/example-message.ts';

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

it.each(Object.keys(edits))('%s', async (edit) => {
  const { dynamo, names, rows } = inMemoryTables();
  let now = created;
  const pace = slotReservations({
    store: dynamoSenderPaceStore(dynamo, names.sender_pace),
    clock: () => now,
    sleep: async (ms) => {
      now = addSeconds(now, ms / 1000);
    },
    random: () => 0.5,
  });
  const message = (kind: PacedMessage['kind']): PacedMessage => {
    return { identity: 'ACME', kind, perSecond: 2, paceAtMs: created.getTime(), segments: 1 };
  };
  const bulk = (count: number) =>
    pace.reserve(
      Array.from({ length: count }, () => message('bulk')),
      1000,
    );
  const waiting = await bulk(200);
  const [row] = rows('sender_pace') as unknown as [Row];
  await dynamo.send(new PutCommand({ TableName: names.sender_pace, Item: { ...edits[edit]?.(row) } }));
  now = addSeconds(created, 10);

  // What waits keeps its place.
  const next = waiting.find(({ at }) => new Date(at) > now);
  expect((await pace.waitForSlot(message('bulk'), next, async () => undefined)).outcome).toBe('now');
  // A one-time password goes at once, and further bulk messages behind those that wait.
  expect((await pace.waitForSlot(message('otp'), undefined, async () => undefined)).outcome).toBe('now');
  expect(now.getTime() - created.getTime()).toBeLessThan(13_000);
  const more = await bulk(4);
  expect(more).toHaveLength(4);
  expect(more[0]?.at && more[0].at > String(waiting.at(-1)?.at)).toBe(true);
  const further = await bulk(2);
  expect(further[0]?.at && further[0].at > String(more.at(-1)?.at)).toBe(true);
});
