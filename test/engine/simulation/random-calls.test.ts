/**
 * The database of the simulation against Amazon’s own engine: the same calls, in the same order, have the same responses.
 * The emulator is no judge here, so only `npm run test:release -- dynamodb-local` has this file.
 */
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { engineConfig } from '../../support/engine/engine.ts';
import {
  type Call,
  createTable,
  newDatabase,
  type Operation,
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

  it('responds to random calls as Amazon’s engine does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 5, maxLength: 40 }), async (calls) => {
        const simulated = newDatabase();
        await createTable(amazons);
        try {
          for (const [operation, input] of calls) {
            const response = await ofAmazon(amazons, operation, input);
            const simulation = ofSimulation(simulated, operation, input);
            // Where a page is full and nothing follows, DynamoDB names a next one, and its local engine does not.
            if (!('LastEvaluatedKey' in response)) Reflect.deleteProperty(simulation, 'LastEvaluatedKey');
            expect({ operation, input, response: simulation }).toEqual({ operation, input, response });
          }
        } finally {
          await amazons.send(new DeleteTableCommand({ TableName: table }));
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 60) },
    );
  });

  it('refuses an expression and a row that are too large, and takes the largest ones', async () => {
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
    for (const [operation, input] of calls)
      expect(ofSimulation(simulated, operation, input)).toEqual(await ofAmazon(amazons, operation, input));
    await amazons.send(new DeleteTableCommand({ TableName: table }));
  });
});

const partition = fc.constantFrom('a', 'b').map((S) => ({ S }));
const sort = fc.constantFrom('1', '2', '3').map((S) => ({ S }));
const key = fc.record({ p: partition, s: sort });
const number = fc.constantFrom('0', '1', '-2', '0.1', '0.2', '12345678901234567890').map((N) => ({ N }));
const value = fc.oneof(
  number,
  fc.constantFrom('x', 'y', 'xyz').map((S) => ({ S })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.subarray(['u', 'v', 'w'], { minLength: 1 }).map((SS) => ({ SS })),
  fc.constant({ N: '1.50' }),
  number.map((one) => ({ L: [one, { S: 'in a list' }] })),
  number.map((one) => ({ M: { deep: one } })),
);
const attributes = fc.dictionary(fc.constantFrom('n', 't', 'm', 'l', 'u'), value, { maxKeys: 4 });
const grouped = fc.option(
  fc.constantFrom('g1', 'g2').map((S) => ({ S })),
  { nil: undefined },
);
const item = fc
  .tuple(key, attributes, grouped)
  .map(([keys, others, g]) => ({ ...others, ...keys, ...(g === undefined ? {} : { g }) }));

const condition = fc.constantFrom(
  'attribute_not_exists(p)',
  'attribute_exists(p) AND #n < :one',
  '#n BETWEEN :zero AND :one OR attribute_not_exists(#n)',
  'NOT (#n = :one) AND attribute_exists(s)',
  'begins_with(t, :x)',
  'contains(u, :x) OR contains(t, :x)',
  '#n IN (:zero, :one)',
  'size(u) > :zero',
  'm.deep >= :one',
  'attribute_type(#n, :type)',
);
const update = fc.constantFrom(
  'SET #n = :one',
  'SET #n = if_not_exists(#n, :zero) + :one',
  'SET t = :x, m = :map REMOVE l',
  'SET m.deep = :one',
  'ADD #n :one',
  'ADD #n :one SET t = :x',
  'ADD u :set',
  'DELETE u :set',
  'REMOVE #n, t',
  'SET l = list_append(if_not_exists(l, :list), :list)',
  'SET t = #n - :one',
);
/** Those that fit every row: the local engine refuses a transaction with another as a whole, unlike what is documented. */
const fittingUpdate = fc.constantFrom('SET #n = :one', 'SET t = :x, m = :map REMOVE l', 'REMOVE #n, t');
const values: Readonly<Record<string, object>> = {
  ':zero': { N: '0' },
  ':one': { N: '1' },
  ':x': { S: 'x' },
  ':type': { S: 'N' },
  ':map': { M: { deep: { N: '5' } } },
  ':set': { SS: ['v', 'z'] },
  ':list': { L: [{ N: '7' }] },
  ':p': { S: 'a' },
  ':s': { S: '2' },
};

/** The placeholders that the expressions name. */
function named(...expressions: readonly (string | undefined)[]): object {
  const text = expressions.join(' ');
  const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(text));
  return {
    ...(text.includes('#n') ? { ExpressionAttributeNames: { '#n': 'n' } } : {}),
    ...(used.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(used) } : {}),
  };
}

const onFailure = fc.constantFrom('ALL_OLD', 'NONE');
const ifMet = fc.option(condition, { nil: undefined, freq: 2 });

function conditional(expression: string | undefined, ReturnValuesOnConditionCheckFailure: string): object {
  return expression === undefined
    ? {}
    : { ConditionExpression: expression, ReturnValuesOnConditionCheckFailure };
}

const put = fc
  .tuple(item, ifMet, onFailure, fc.constantFrom('NONE', 'ALL_OLD'))
  .map(([Item, when, failing, ReturnValues]) => ({
    ...{ TableName: table, Item, ReturnValues },
    ...conditional(when, failing),
    ...named(when),
  }));
const changeBy = (expression: fc.Arbitrary<string>) =>
  fc
    .tuple(
      key,
      expression,
      ifMet,
      onFailure,
      fc.constantFrom('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_NEW', 'UPDATED_OLD'),
    )
    .map(([Key, UpdateExpression, when, failing, ReturnValues]) => ({
      ...{ TableName: table, Key, UpdateExpression, ReturnValues },
      ...conditional(when, failing),
      ...named(UpdateExpression, when),
    }));
const removal = fc.tuple(key, ifMet, onFailure).map(([Key, when, failing]) => ({
  ...{ TableName: table, Key },
  ...conditional(when, failing),
  ...named(when),
}));
const read = fc.record({ TableName: fc.constant(table), Key: key, ConsistentRead: fc.boolean() });
const query = fc
  .tuple(
    fc.constantFrom(
      'p = :p',
      'p = :p AND s >= :s',
      'p = :p AND begins_with(s, :s)',
      'p = :p AND s BETWEEN :s AND :s',
    ),
    fc.boolean(),
    fc.option(fc.constantFrom(1, 2), { nil: undefined }),
    ifMet.filter((text) => !/\b[ps]\b/.test(text ?? '')),
  )
  .map(([KeyConditionExpression, ScanIndexForward, Limit, FilterExpression]) => ({
    ...{ TableName: table, KeyConditionExpression, ScanIndexForward },
    ...(Limit === undefined ? {} : { Limit }),
    ...(FilterExpression === undefined ? {} : { FilterExpression }),
    ...named(KeyConditionExpression, FilterExpression),
  }));
const indexQuery = fc
  .tuple(fc.constantFrom('by-g', 'keys-only'), fc.constantFrom('g1', 'g2'))
  .map(([IndexName, g]) => ({
    TableName: table,
    IndexName,
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': { S: g } },
  }));
const batchGet = fc
  .uniqueArray(key, { minLength: 1, maxLength: 5, selector: (one) => JSON.stringify(one) })
  .map((Keys) => ({ RequestItems: { [table]: { Keys } } }));
const batchWrite = fc
  .uniqueArray(item, { minLength: 1, maxLength: 4, selector: ({ p, s }) => JSON.stringify([p, s]) })
  .map((items) => ({ RequestItems: { [table]: items.map((Item) => ({ PutRequest: { Item } })) } }));
const transaction = fc
  .uniqueArray(
    fc.oneof(
      put.map(({ ReturnValues: _, ...Put }) => ({ Put })),
      changeBy(fittingUpdate).map(({ ReturnValues: _, ...Update }) => ({ Update })),
      removal.map((Delete) => ({ Delete })),
    ),
    {
      minLength: 1,
      maxLength: 3,
      selector: (each) => {
        const [input] = Object.values(each) as [{ Key?: object; Item?: { p: object; s: object } }];
        return JSON.stringify(input.Key ?? { p: input.Item?.p, s: input.Item?.s });
      },
    },
  )
  .map((TransactItems) => ({ TransactItems }));

const of = (operation: Operation, inputs: fc.Arbitrary<object>) =>
  inputs.map((input): Call => [operation, input as Record<string, unknown>]);
const anyCall = fc.oneof(
  of('PutItem', put),
  of('UpdateItem', changeBy(update)),
  of('UpdateItem', changeBy(update)),
  of('DeleteItem', removal),
  of('GetItem', read),
  of('Query', query),
  of('Query', indexQuery),
  of('Scan', fc.constant({ TableName: table })),
  of('BatchGetItem', batchGet),
  of('BatchWriteItem', batchWrite),
  of('TransactWriteItems', transaction),
);
