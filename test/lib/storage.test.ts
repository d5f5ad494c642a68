import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTables, type TestTables } from '../support/tables.ts';

describe('the tables on a real engine', () => {
  let tables: TestTables;
  beforeAll(async () => {
    tables = await createTables();
  });
  afterAll(() => tables.drop());

  it('find what is due by a sparse index: a row without a due time is not in it', async () => {
    const TableName = tables.names.messages;
    await tables.dynamo.send(
      new PutCommand({ TableName, Item: { message_id: 'a', due_shard: '1', due_at: '2026-01-01' } }),
    );
    await tables.dynamo.send(new PutCommand({ TableName, Item: { message_id: 'b' } }));
    const { Items } = await tables.dynamo.send(
      new QueryCommand({
        TableName,
        IndexName: 'by-due',
        KeyConditionExpression: 'due_shard = :shard AND due_at < :now',
        ExpressionAttributeValues: { ':shard': '1', ':now': '2026-02-01' },
      }),
    );
    expect(Items).toEqual([{ message_id: 'a', due_shard: '1', due_at: '2026-01-01' }]);
  });

  it('keep the overrides in a table whose name ends in limit-overrides, as people are told', async () => {
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
