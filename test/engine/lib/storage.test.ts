import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

describe('the tables on a real engine', () => {
  let tables: TestTables;
  beforeAll(async () => {
    tables = await createTables();
  });
  afterAll(() => tables.drop());

  it('find a message by the id of a carrier that knows it by no other, in an index that holds no others', async () => {
    const TableName = tables.names.messages;
    await tables.dynamo.send(
      new PutCommand({ TableName, Item: { message_id: 'a', carrier_key: 'wamid.1' } }),
    );
    await tables.dynamo.send(new PutCommand({ TableName, Item: { message_id: 'b' } }));
    const { Items } = await tables.dynamo.send(
      new QueryCommand({
        TableName,
        IndexName: 'by-carrier-id',
        KeyConditionExpression: 'carrier_key = :id',
        ExpressionAttributeValues: { ':id': 'wamid.1' },
      }),
    );
    expect(Items).toEqual([{ message_id: 'a', carrier_key: 'wamid.1' }]);
  });

  it('store the overrides in a table whose name ends in limit-overrides, as the documentation says', async () => {
    const { Table } = await tables.dynamo.send(
      new DescribeTableCommand({ TableName: tables.names.limit_overrides }),
    );
    expect(Table?.TableName).toMatch(/limit-overrides$/);
    expect(Table?.KeySchema).toEqual([
      { AttributeName: 'client_id', KeyType: 'HASH' },
      { AttributeName: 'endpoint', KeyType: 'RANGE' },
    ]);
  });
});
