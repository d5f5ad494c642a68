/** Private copies of the stack's tables, so that an adapter is tested alone: no function sees their changes. */
import { randomBytes } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { engineClient } from './engine.ts';
import type { TableDefinition } from './synthesize-tables.ts';
import type { ConnectionName, TestTables } from './test-tables.ts';

/**
 * Creates every table of the stack with a unique prefix.
 *
 * @param only - creates only these tables, for tests that need few and start often
 * @param dynamo - another engine than the run's
 */
export async function createTables(
  only?: readonly ConnectionName[],
  dynamo: DynamoDBDocumentClient = engineClient(),
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

/** Creates a table without time to live. Tests have their own clocks, and an engine would delete their rows by its own. */
async function create(
  dynamo: DynamoDBDocumentClient,
  prefix: string,
  { name, input }: TableDefinition,
): Promise<[string, string]> {
  const TableName = `${prefix}-${name.replaceAll('_', '-')}`;
  await dynamo.send(new CreateTableCommand({ ...input, TableName }));
  return [name, TableName];
}

function tableDefinitions(): TableDefinition[] {
  const text = process.env.TABLES_UNDER_TEST;
  if (text === undefined) throw new Error('no tables are known: does this test import support/tables.ts?');
  return JSON.parse(text) as TableDefinition[];
}
