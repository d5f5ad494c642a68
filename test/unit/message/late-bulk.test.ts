/** A bulk that a repeat completes late is handed over, although the scan for lost messages has passed its time. */
import { expect, it } from '@jest/globals';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { expireOverdue, reviewFrom } from '../../../shared/relay/expire-messages.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { allowanceOf } from '../../support/doubles/no-caps.ts';
import { noSenders } from '../../support/doubles/no-senders.ts';
import { inMemoryPace, inMemoryStores } from '../../support/engine/stores.ts';
import { aClient, ask, webhookUrl } from '../../support/message/ask-operation.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const recipients = Array.from({ length: 40 }, (_, index) => `+4477009001${String(index).padStart(2, '0')}`);
const body = { message: 'Hello', recipients };

function aBulk() {
  const { messages, batches, dueItemIndex } = inMemoryStores();
  const dies = { after: Number.POSITIVE_INFINITY };
  const operation = sendBulkSms({
    messages: {
      ...messages,
      async createMany(rows) {
        await messages.createMany(rows.slice(0, dies.after));
        if (rows.length > dies.after) throw new Error('the process died');
      },
    },
    batches,
    allowanceOf,
    ...noSenders,
    webhookUrl,
    pace: inMemoryPace(),
    reviewFrom: reviewFrom(dueItemIndex),
  });
  const client = aClient();
  return {
    dies,
    stored: () => messages.all().map(({ message_id }) => message_id),
    request: (now: Date) => ask(operation, { client, now, body, key: 'order-1' }),
    /** The function of each minute: nothing else follows from the messages here, as if their stream were lost. */
    async requeuedAt(now: Date): Promise<string[]> {
      const queued: string[] = [];
      await expireOverdue({
        dueItemIndex,
        messages,
        outbound: {
          enqueue: async (entries) => void queued.push(...entries.map(({ messageId }) => messageId)),
        },
        setAside: neverSetAside,
        clock: () => now,
        budgetMs: 10_000,
      });
      return queued;
    },
  };
}

it.each([0, 7])('where the first request died after %i messages', async (after) => {
  const bulk = aBulk();
  bulk.dies.after = after;
  await expect(bulk.request(start)).rejects.toThrow('the process died');
  bulk.dies.after = Number.POSITIVE_INFINITY;
  const late = addSeconds(start, 1500);
  await bulk.request(late);
  // While the repeat stores them, a message without a row must not be dropped from the index.
  expect(await bulk.requeuedAt(addSeconds(late, 59))).toEqual([]);
  expect((await bulk.requeuedAt(addSeconds(late, 61))).toSorted()).toEqual(bulk.stored().toSorted());
  expect(bulk.stored()).toHaveLength(recipients.length);
});

it('where the repeat died too, and nobody repeats it again', async () => {
  const bulk = aBulk();
  bulk.dies.after = 0;
  await expect(bulk.request(start)).rejects.toThrow('the process died');
  bulk.dies.after = 10;
  const late = addSeconds(start, 1500);
  await expect(bulk.request(late)).rejects.toThrow('the process died');
  expect((await bulk.requeuedAt(addSeconds(late, 61))).toSorted()).toEqual(bulk.stored().toSorted());
  expect(bulk.stored()).toHaveLength(10);
});
