/** A bulk that a repeat completes late is handed over, although its stream is lost. */

import { expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { allowanceOf } from '../../support/doubles/no-caps.ts';
import { noSenders } from '../../support/doubles/no-senders.ts';
import { inMemoryPace, inMemoryStores } from '../../support/engine/stores.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { aClient, ask, webhookUrl } from '../../support/message/ask-operation.ts';
import { dueRuns } from '../../support/message/due-runs.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const recipients = Array.from({ length: 40 }, (_, index) => `+4477009001${String(index).padStart(2, '0')}`);
const body = { message: 'Hello', recipients };

function aBulk() {
  const { context, messages, batches, tables } = inMemoryStores();
  const dies = { after: Number.POSITIVE_INFINITY };
  const operation = sendBulkSms({
    ...withCalls(context, async ({ operation, input }, run) => {
      if (operation !== 'TransactWrite') return run();
      const rows = (input.TransactItems as { Put: { Item: Message } }[]).map(({ Put }) => Put.Item);
      if (rows.length <= dies.after) return run();
      await createMessages(context, rows.slice(0, dies.after));
      throw new Error('the process died');
    }),
    batches,
    allowanceOf,
    ...noSenders,
    webhookUrl,
    pace: inMemoryPace(),
  });
  const client = aClient();
  return {
    dies,
    stored: () => messages.all().map(({ message_id }) => message_id),
    request: (now: Date) => ask(operation, { client, now, body, key: 'order-1' }),
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
