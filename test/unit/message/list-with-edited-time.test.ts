/** Pages neither omit nor repeat where a person edited the time of a message in the console. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { listMessages } from '../../../shared/message/list-own-messages.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { aClient, ask } from '../../support/message/sends.ts';

const pagesMax = 9;
const ids = [0, 1, 2, 3].map((n) => `msg_01KAG0000000000000000000${n}A`);
const client = { ...aClient(), client_id: 'client-a' };

/** Four messages, a second after the other, of which the third has another time in its row. */
async function withEdited(time: string) {
  const tables = inMemoryTables();
  const stores = inMemoryStores(tables);
  for (const [n, message_id] of ids.entries())
    await createMessage(
      stores.context,
      aSentMessage({ message_id, created_at: addSeconds(created, n).toISOString() }),
    );
  await tables.dynamo.send(
    new UpdateCommand({
      TableName: tables.names.messages,
      Key: { message_id: ids[2] },
      UpdateExpression: 'SET created_at = :at',
      ExpressionAttributeValues: { ':at': time },
    }),
  );
  return stores;
}

describe.each([
  ['as it was', '2026-11-20T10:00:02.000Z'],
  ['without milliseconds', '2026-11-20T10:00:02Z'],
  ['a year later', '2027-11-20T10:00:02.000Z'],
])('where the time of a message is %s', (_what, time) => {
  it('the list of messages has each once', async () => {
    const { context } = await withEdited(time);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const query = { limit: '1', ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await ask(listMessages(context), { client, now: created, query });
      const page = body as { messages: { message_id: string }[]; next_cursor?: string };
      seen.push(...page.messages.map(({ message_id }) => message_id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(ids.toReversed());
  });
});
