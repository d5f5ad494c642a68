/**
 * A page of the messages with a person that is short, because the rows are read from a place that is a moment behind the
 * index, or because one of them cannot be read, is not the end of the conversation (contract 13.1, 13.2).
 */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { receiveMessage } from '../../../shared/message/receive-message.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { anInbound, ourNumber, person, sentBy, start } from '../../support/message/inbound.ts';

/** More messages of another client than a page has, all waiting. */
const waiting = 120;

async function world(wrong: 'nothing' | 'a row behind the index' | 'a row edited by hand') {
  const stores = inMemoryStores();
  const { context, tables } = stores;
  // A carrier took it, and its response was lost: only the row says that the person has it.
  const attempt = { number: 1, carrier: 'twilio', at: start.toISOString(), deadline: start.toISOString() };
  await createMessage(
    context,
    sentBy('client-a', 0, { from: ourNumber, status: 'sending', sent_at: undefined, attempts: [attempt] }),
  );
  for (let index = 1; index <= waiting; index += 1)
    await createMessage(
      context,
      sentBy('client-b', index, { from: ourNumber, status: 'queued', sent_at: undefined }),
    );
  const newest = `msg_of_client-b_${waiting}`;
  if (wrong === 'a row edited by hand') {
    const row = tables.rows('messages').find(({ message_id }) => message_id === newest);
    await tables.dynamo.send(
      new PutCommand({ TableName: tables.names.messages, Item: { ...row, queued_at: 'yesterday' } }),
    );
  }
  /** The read does not show the newest message yet. */
  const behind = withCalls(stores.context, async ({ operation }, run) => {
    const output = await run();
    if (wrong !== 'a row behind the index' || operation !== 'BatchGet') return output;
    const { Responses = {} } = output as { Responses?: Record<string, { message_id: string }[]> };
    const shown = Object.entries(Responses).map(([table, rows]) => [
      table,
      rows.filter(({ message_id }) => message_id !== newest),
    ]);
    return { Responses: Object.fromEntries(shown) };
  });
  const dependencies = {
    ...stores,
    ...behind,
    numbers: numbersOwned(),
  };
  const stop = anInbound({ text: 'STOP', receivedAt: addSeconds(start, waiting + 10) });
  const { message } = await receiveMessage(dependencies, stop, 10);
  return { message, suppression: await suppressionOf(stores.context, 'client-a', person) };
}

describe('a STOP to the client whose message is behind a hundred others counts', () => {
  it.each(['nothing', 'a row behind the index', 'a row edited by hand'] as const)(
    'with %s',
    async (wrong) => {
      const { message, suppression } = await world(wrong);
      expect(message.client_id).toBe('client-a');
      expect(suppression).toMatchObject({ scope: 'messages', source: 'keyword' });
    },
  );
});
