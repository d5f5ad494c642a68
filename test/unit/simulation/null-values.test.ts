/** The database of the simulation keeps a null, as DynamoDB does. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

it('a null comes back as a null, not as an empty map', async () => {
  const { dynamo, names } = inMemoryTables();
  const key = { client_id: 'client-a', country: 'FR' };
  await dynamo.send(new PutCommand({ TableName: names.otp_holds, Item: { ...key, usual_share: null } }));
  const { Item } = await dynamo.send(new GetCommand({ TableName: names.otp_holds, Key: key }));
  expect(Item).toEqual({ ...key, usual_share: null });
});
