/** The same call of the simulation’s database and of Amazon’s own engine, with responses that can be compared. */
import { randomBytes } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoDb } from './aws/dynamodb.ts';
import { ServiceError } from './aws/service-error.ts';

const commands = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
} as const;
export type Operation = keyof typeof commands;
export type Call = readonly [Operation, Record<string, unknown>];

/** The table of this file of tests: others may use the engine at the same time. */
export const table = `test-${randomBytes(6).toString('hex')}`;

function commandOf(operation: Operation, input: object): GetItemCommand {
  // The commands have nothing in common but that a client sends them.
  const Command = commands[operation] as unknown as typeof GetItemCommand;
  return new Command(input as never);
}

/** An empty database of the simulation, with the table and its indexes. */
export function newDatabase() {
  const definition = {
    name: table,
    partition: 'p',
    sort: 's',
    indexes: {
      'by-g': { partition: 'g', sort: 's' },
      'keys-only': { partition: 'g', included: [] },
    },
  };
  return dynamoDb([definition], {
    now: () => 0,
    later: (_ms, run) => run(),
    indexLagMs: () => 0,
    readLagMs: () => 0,
    conflicts: () => false,
    leavesUndone: () => false,
    changed: () => undefined,
  });
}

/** The same table on Amazon’s engine. */
export async function createTable(client: DynamoDBClient): Promise<void> {
  const key = (name: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName: name, KeyType });
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [key('p', 'HASH'), key('s', 'RANGE')],
      AttributeDefinitions: ['p', 's', 'g'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-g',
          KeySchema: [key('g', 'HASH'), key('s', 'RANGE')],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: 'keys-only',
          KeySchema: [key('g', 'HASH')],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
}

/** Returns the response or the error of Amazon’s engine, in a form that can be compared. */
export async function ofAmazon(client: DynamoDBClient, operation: Operation, input: object): Promise<object> {
  try {
    const { $metadata: _, ...response } = await client.send(commandOf(operation, input));
    return comparable(response);
  } catch (error) {
    return comparable({ error: (error as Error).name, ...fieldsOf(error) });
  }
}

/** Returns the response or the error of the simulation, in the same form. */
export function ofSimulation(
  database: ReturnType<typeof newDatabase>,
  operation: Operation,
  input: object,
): object {
  try {
    return comparable(JSON.parse(JSON.stringify(database.call(operation, input))));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return comparable({ error: error.code, ...error.fields });
  }
}

/** Texts of errors are the engine's own; the order of a scan, of a batch and of a set is nobody's promise. */
function fieldsOf(error: unknown): object {
  const { Item, CancellationReasons } = error as {
    Item?: object;
    CancellationReasons?: { Code?: string; Item?: object }[];
  };
  const reasons = CancellationReasons?.map(({ Code, Item: item }) => ({
    Code,
    ...(item === undefined ? {} : { Item: item }),
  }));
  return {
    ...(Item === undefined ? {} : { Item }),
    ...(reasons === undefined ? {} : { CancellationReasons: reasons }),
  };
}

function comparable(response: object): object {
  const {
    Items,
    Responses,
    CancellationReasons,
    ConsumedCapacity: _,
    ...rest
  } = response as Record<string, unknown>;
  const reasons = (CancellationReasons as { Code?: string; Item?: object }[] | undefined)?.map(
    ({ Code, Item }) => ({ Code, Item }),
  );
  return {
    ...normal(rest),
    ...(Items === undefined ? {} : { Items: sorted(Items as object[]) }),
    ...(Responses === undefined ? {} : { Responses: sorted(Object.values(Responses as object).flat()) }),
    ...(reasons === undefined ? {} : { CancellationReasons: reasons.map((each) => normal(each)) }),
  };
}

function sorted(items: readonly object[]): unknown[] {
  return items.map((item) => normal(item)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function normal(value: object): object {
  return JSON.parse(JSON.stringify(value), (name, each: unknown) => {
    if ((name === 'SS' || name === 'NS') && Array.isArray(each)) return each.toSorted();
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
