/** The streams of a table on Amazon's own engine: also of one that was turned off, and of a table that was deleted. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from '@jest/globals';
import { rowIn } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { chunksOf } from '../../../shared/platform/long-lists.ts';
import { dynamoStreamRecords } from '../../../shared/restore/stream-records.dynamo.ts';
import { engineClient, engineConfig } from '../../support/engine/engine.ts';

const dynamo = engineClient();
afterAll(() => dynamo.destroy());

const TableName = `streams-${process.pid}`;
const stream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
const records = dynamoStreamRecords(dynamo, sleep, String(engineConfig().endpoint));

const createTable = () =>
  dynamo.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: stream,
    }),
  );

async function write(ids: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(ids, 25))
    await dynamo.send(
      new BatchWriteItemCommand({
        RequestItems: {
          [TableName]: chunk.map((id) => ({
            PutRequest: { Item: { id: { S: id }, text: { S: 'x'.repeat(500) } } },
          })),
        },
      }),
    );
}

async function read(): Promise<{ readonly ids: number; readonly oldest: Date | undefined }> {
  const ids = new Set<string>();
  const oldest = await records.read(TableName, ({ dynamodb }) => {
    ids.add(String(rowIn(dynamodb?.NewImage)?.id));
  });
  return { ids: ids.size, oldest };
}

const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

it('are read in many pages, and still where they were turned off, and where their table was deleted and made again', async () => {
  expect(await read()).toEqual({ ids: 0, oldest: undefined });
  await createTable();
  await write(named('first', 2500));
  const { ids, oldest } = await read();
  expect(ids).toBe(2500);
  await dynamo.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  await write(named('unseen', 10));
  expect(await read()).toEqual({ ids: 2500, oldest });
  await dynamo.send(new UpdateTableCommand({ TableName, StreamSpecification: stream }));
  await write(named('second', 10));
  expect(await read()).toEqual({ ids: 2510, oldest });
  await dynamo.send(new DeleteTableCommand({ TableName }));
  expect(await read()).toEqual({ ids: 2510, oldest });
  await createTable();
  await write(named('third', 10));
  expect(await read()).toEqual({ ids: 2520, oldest });
  await dynamo.send(new DeleteTableCommand({ TableName }));
});
