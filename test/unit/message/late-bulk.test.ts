/** A bulk that a repeat completes late is handed over, although its stream is lost. */

import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { dueRuns } from '../../support/message/due-runs.ts';
import { aClient, ask, inMemorySends } from '../../support/message/sends.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const recipients = Array.from({ length: 40 }, (_, index) => `+4477009001${String(index).padStart(2, '0')}`);
const body = { message: 'Hello', recipients };

function aBulk() {
  const dies = { after: Number.POSITIVE_INFINITY };
  const tables = inMemoryTables({
    around: (call, run) => {
      const writes = call.input.TransactItems;
      if (!Array.isArray(writes) || writes.length <= dies.after) return run();
      writes.splice(dies.after);
      if (writes.length > 0) run();
      throw new Error('the process died');
    },
  });
  const { operations, messages } = inMemorySends({}, tables);
  const client = aClient();
  return {
    dies,
    stored: () => messages.all().map(({ message_id }) => message_id),
    request: (now: Date) => ask(operations.bulk, { client, now, body, key: 'order-1' }),
    /** The messages lead to no other work here, as if their stream were lost. */
    queuedAt: async (now: Date) => (await dueRuns(tables, () => now).run()).map(({ messageId }) => messageId),
  };
}

it.each([
  [0, 40],
  [7, 40],
  // The repeat dies too, and nobody repeats it again.
  [0, 10],
])('if the first request died after %i messages, and its repeat stores %i', async (after, stored) => {
  const bulk = aBulk();
  bulk.dies.after = after;
  await expect(bulk.request(start)).rejects.toThrow('the process died');
  bulk.dies.after = stored;
  const late = addSeconds(start, 1500);
  await bulk.request(late).catch(() => undefined);
  expect((await bulk.queuedAt(late)).toSorted()).toEqual(bulk.stored().toSorted());
  expect(bulk.stored()).toHaveLength(stored);
});
