/**
 * How large a row and an expression the database of the simulation takes: as large as Amazon’s own engine does.
 * The emulator is no judge here, so only `npm run test:release -- dynamodb-local` has this file.
 */
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { engineConfig } from '../../support/engine/engine.ts';
import {
  type Call,
  createTable,
  newDatabase,
  ofAmazon,
  ofSimulation,
  table,
} from '../../support/simulation/compared-database.ts';

describe('the simulated database', () => {
  let amazons: DynamoDBClient;
  beforeAll(() => {
    amazons = new DynamoDBClient(engineConfig());
  });
  afterAll(() => amazons.destroy());

  it('refuses what is too large as Amazon’s engine does, and takes what just fits', async () => {
    const Key = { p: { S: 'a' }, s: { S: '1' } };
    const changeOf = (length: number) => ({
      TableName: table,
      Key,
      UpdateExpression: 'SET n = :n'.padEnd(length, ' '),
      ExpressionAttributeValues: { ':n': { N: '1' } },
    });
    // The names of the three attributes and the values of the key are five bytes.
    const itemOf = (bytes: number) => ({
      TableName: table,
      Item: { ...Key, t: { S: 'x'.repeat(bytes - 5) } },
    });
    const calls: readonly Call[] = [
      ['UpdateItem', changeOf(4096)],
      ['UpdateItem', changeOf(4097)],
      ['PutItem', itemOf(409_600)],
      ['PutItem', itemOf(409_601)],
    ];
    const simulated = newDatabase();
    await createTable(amazons);
    const responses: unknown[] = [];
    for (const [operation, input] of calls) {
      const response = await ofAmazon(amazons, operation, input);
      expect(ofSimulation(simulated, operation, input)).toEqual(response);
      responses.push(Reflect.get(response, 'error'));
    }
    await amazons.send(new DeleteTableCommand({ TableName: table }));
    expect(responses).toEqual([undefined, 'ValidationException', undefined, 'ValidationException']);
  });
});
