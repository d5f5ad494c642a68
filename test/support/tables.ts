/** Private copies of the stack's tables, so that an adapter is tested alone: no function sees their changes. */
import { randomBytes } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../lib/table-shapes.ts';
import { documentClient } from './gateway.ts';
import type { TableDefinition } from './synthesize-tables.ts';

type SnakeCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}_${SnakeCase<Rest>}`
  : Text;

export interface TestTables {
  readonly dynamo: DynamoDBDocumentClient;
  /** Physical names by the names that the connection uses: `names.limit_overrides`. */
  readonly names: Readonly<Record<SnakeCase<TableName>, string>>;
  /** Removes the tables and closes the client. */
  drop(): Promise<void>;
}

/**
 * Creates every table of the stack under a prefix of its own.
 *
 * @param only - create these alone, where a test needs few and starts often
 * @param dynamo - another engine than the emulator, such as DynamoDB Local
 */
export async function createTables(
  only?: readonly SnakeCase<TableName>[],
  dynamo: DynamoDBDocumentClient = documentClient(),
): Promise<TestTables> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const definitions = tableDefinitions().filter(
    ({ name }) => only?.some((wanted) => wanted === name) ?? true,
  );
  const created = await Promise.all(definitions.map((definition) => create(dynamo, prefix, definition)));
  return {
    dynamo,
    names: Object.fromEntries(created) as TestTables['names'],
    async drop() {
      await Promise.all(created.map(([, TableName]) => dynamo.send(new DeleteTableCommand({ TableName }))));
      dynamo.destroy();
    },
  };
}

async function create(
  dynamo: DynamoDBDocumentClient,
  prefix: string,
  { name, input, timeToLiveAttribute }: TableDefinition,
): Promise<[string, string]> {
  const TableName = `${prefix}-${name.replaceAll('_', '-')}`;
  await dynamo.send(new CreateTableCommand({ ...input, TableName }));
  if (timeToLiveAttribute !== undefined) {
    await dynamo.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
      }),
    );
  }
  return [name, TableName];
}

function tableDefinitions(): TableDefinition[] {
  const text = process.env.TABLES_UNDER_TEST;
  if (text === undefined)
    throw new Error('no tables are known: is this test in the jest project "emulator"?');
  return JSON.parse(text) as TableDefinition[];
}
