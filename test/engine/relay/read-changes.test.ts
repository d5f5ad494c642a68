import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { readChanges } from '../../../shared/relay/relay.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aSentMessage } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages']);
});
afterAll(() => tables.drop());

it('a message is parsed from a stream image as it was stored, and an image that is no message is set aside', async () => {
  const message = aSentMessage({ reference: 'order 1 \u{1f600}', webhook_url: 'https://shop.test/hook?a=b' });
  const TableName = tables.names.messages;
  await dynamoMessageStore(tables.dynamo, { tableName: TableName, retentionDays: 1 }).create(message);
  const { Item = {} } = await tables.dynamo.send(
    new GetItemCommand({ TableName, Key: { message_id: { S: message.message_id } }, ConsistentRead: true }),
  );
  const before: Record<string, AttributeValue> = { ...Item, status: { S: 'sending' } };
  const { recipient: _recipient, ...incomplete } = Item;
  const records = [
    { eventID: 'changed', dynamodb: { OldImage: before, NewImage: Item } },
    { eventID: 'removed', dynamodb: { OldImage: Item } },
    { eventID: 'incomplete', dynamodb: { NewImage: incomplete } },
  ];
  expect(readChanges(records)).toEqual({
    changes: [{ before: { ...message, status: 'sending' }, after: message }],
    unreadable: [records[2]],
  });
});
