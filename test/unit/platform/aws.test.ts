import { createHash, createHmac } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { documentClient } from '../../../shared/platform/aws/clients.ts';
import {
  conditionalPut,
  conditionalUpdate,
  conditionalUpdateItem,
  updateIf,
} from '../../../shared/platform/aws/conditional-write.dynamo.ts';
import { Sha256 } from '../../../shared/platform/aws/sha256.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

const part = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array());
const key = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.uint8Array({ minLength: 1 }));

async function digestOf(sha: Sha256, parts: readonly (string | Uint8Array)[]): Promise<string> {
  for (const data of parts) sha.update(data);
  return Buffer.from(await sha.digest()).toString('hex');
}

describe('the hash that signs calls to AWS', () => {
  it('is SHA-256 of all that was given, in any pieces', () =>
    fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        const expected = createHash('sha256');
        for (const data of parts) expected.update(data);
        expect(await digestOf(new Sha256(), parts)).toBe(expected.digest('hex'));
      }),
    ));

  it('is its HMAC where a key is given, the first time and every later time', () =>
    fc.assert(
      fc.asyncProperty(key, fc.array(part), async (secret, parts) => {
        const expected = createHmac('sha256', secret);
        for (const data of parts) expected.update(data);
        const hex = expected.digest('hex');
        expect(await digestOf(new Sha256(secret), parts)).toBe(hex);
        expect(await digestOf(new Sha256(secret), parts)).toBe(hex);
      }),
    ));

  it('starts again after a reset', async () => {
    const sha = new Sha256();
    sha.update('forgotten');
    sha.reset();
    expect(await digestOf(sha, ['kept'])).toBe(createHash('sha256').update('kept').digest('hex'));
  });
});

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

/** A client whose every call ends so. */
const clientThat = (send: () => Promise<unknown>) => ({ send }) as unknown as DynamoDBDocumentClient;

const refusing = (Item?: Record<string, AttributeValue>) =>
  clientThat(() =>
    Promise.reject(
      new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(Item === undefined ? {} : { Item }),
      }),
    ),
  );

const row = { TableName: 'rows', Item: {}, Key: {} };

describe.each([
  ['put', conditionalPut],
  ['update', conditionalUpdate],
  ['update item', conditionalUpdateItem],
])('a write on a condition: %s', (_, write) => {
  it('that was made has its response', async () => {
    expect(
      await write(
        clientThat(async () => 'written'),
        row,
      ),
    ).toEqual({
      applied: true,
      response: 'written',
    });
  });

  it('that was refused is no fault, and shows the row that stood against it', async () => {
    expect(await write(refusing(), row)).toEqual({ applied: false, row: undefined });
    expect(await write(refusing({ id: { S: 'a' }, count: { N: '3' } }), row)).toEqual({
      applied: false,
      row: { id: 'a', count: 3 },
    });
  });

  it('that failed for any other reason throws it', async () => {
    const noTable = new ResourceNotFoundException({ message: 'no table', $metadata: {} });
    await expect(
      write(
        clientThat(() => Promise.reject(noTable)),
        row,
      ),
    ).rejects.toThrow(noTable);
  });
});

it('an update of a row that is as it was seen is applied once, also where its response is lost and it is repeated', async () => {
  const { dynamo, names, rows } = inMemoryTables({
    around: (_, run) => {
      run();
      return run();
    },
  });
  const row = { TableName: names.otp_holds, Key: { client_id: 'a', country: 'FR' } };
  const held = { state: 'held', sends: 60 };
  const allowed = { state: 'allowed', sends: undefined };
  const results = [
    await updateIf(dynamo, row, { state: undefined }, held),
    await updateIf(dynamo, row, { state: undefined }, { state: 'noticed' }),
    await updateIf(dynamo, row, { state: 'held', sends: 60 }, allowed),
  ];
  const stored = { ...row.Key, state: 'allowed' };
  expect(results).toEqual([
    { applied: true, row: { ...row.Key, ...held } },
    { applied: false, row: { ...row.Key, ...held } },
    { applied: true, row: stored },
  ]);
  expect(rows('otp_holds')).toEqual([stored]);
});
