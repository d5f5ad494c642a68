/** Whatever names callers and receivers give to fields, a row with them can be written, and has them all. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { documentClient } from '../../../shared/platform/aws/clients.ts';

it('an object is written with each of its fields, also those that are called as what every object has', async () => {
  let body = new Uint8Array();
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: {
      handle: async (request: { body: Uint8Array }) => {
        body = Uint8Array.from(request.body);
        const headers = { 'content-type': 'application/x-amz-json-1.0' };
        return { response: { statusCode: 200, headers, body: new TextEncoder().encode('{}') } };
      },
    } as never,
  });
  const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');
  const names = fc.oneof(
    fc.constantFrom(...inherited, 'then', 'toJSON', 'length'),
    fc.string({ minLength: 1 }),
  );
  const fields = fc.dictionary(
    names.filter((name) => name !== '__proto__'),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fields, async (map) => {
      await documentClient(client).send(new PutCommand({ TableName: 't', Item: { id: 'a', map } }));
      const { Item } = JSON.parse(Buffer.from(body).toString()) as {
        Item: { map: { M: Record<string, { S: string }> } };
      };
      expect(Object.entries(Item.map.M).map(([name, { S }]) => [name, S])).toEqual(Object.entries(map));
    }),
  );
});
