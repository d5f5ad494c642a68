/** A request with an Idempotency-Key is executed once in its 24 hours (contract 5.6), also where the first use of a test key ends meanwhile. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { createOnce } from '../../../shared/message/send/idempotency.ts';
import { addDays, addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage } from '../../support/message/example-message.ts';

const first = new Date('2026-11-01T10:00:00.000Z');

it.each(['client-a', 'client-a-test'])('of %s, a month after the first use', async (client_id) => {
  const tables = inMemoryTables();
  const { messages } = inMemoryStores(tables);
  const send = async (now: Date) => {
    /** As the TTL does, which deletes a row within hours after its time. */
    for (const { message_id, purge_at } of tables.rows('messages'))
      if (Number(purge_at) < epochSeconds(now))
        await tables.dynamo.send(
          new DeleteCommand({ TableName: tables.names.messages, Key: { message_id } }),
        );
    return createOnce(
      messages,
      { now, workId: now.toISOString() },
      {
        prefix: 'msg',
        endpoint: 'sms/send',
        clientId: client_id,
        key: 'order-1',
        canonicalRequest: () => ({}),
        allowance: undefined,
        build: (message_id) =>
          aMessage({
            message_id,
            client_id,
            created_at: now.toISOString(),
            expires_at: addDays(now, 3).toISOString(),
          }),
      },
    );
  };
  await send(first);
  // The row of the first use is kept until 30 days after the end of its validity.
  const again = addSeconds(addDays(first, 33), -3600);
  const second = await send(again);
  const repeat = await send(addSeconds(again, 2 * 3600));
  expect([second.replayed, repeat.replayed]).toEqual([false, true]);
  expect(repeat.entry.message_id).toBe(second.entry.message_id);
});
