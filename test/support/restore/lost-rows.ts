/**
 * The restorable tables on the engine of the run, with rows of our own: remembered at a time, as point-in-time recovery does,
 * changed and lost, and restored by the same steps as `npm run admin -- restore`, but for the workers, of which there are none.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { keysOf, restoredTables } from '../../../bin/admin/restored-tables.ts';
import type { TableName } from '../../../shared/contract/tables.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { dynamoDueItemIndex } from '../../../shared/recovery/due-item-index.dynamo.ts';
import type { RestoreDependencies } from '../../../shared/restore/restore-page.ts';
import type { Decisions } from '../../../shared/restore/restore-report.ts';
import { restoreStage } from '../../../shared/restore/restore-stage.ts';
import {
  allItems,
  dynamoSideTables,
  type Item,
  sideTableName,
} from '../../../shared/restore/side-tables.dynamo.ts';
import { dynamoMaintenance } from '../../../shared/restore/stop-stage.lambda.ts';
import { dynamoStreamRecords } from '../../../shared/restore/stream-records.dynamo.ts';
import {
  dynamoTableRows,
  type RestorableTable,
  restorableTables,
} from '../../../shared/restore/table-rows.dynamo.ts';
import { engineConfig } from '../engine/engine.ts';
import { createTables } from '../engine/tables.ts';
import type { ConnectionName } from '../engine/test-tables.ts';
import { keptProgress } from './kept-progress.ts';

export type Row = Readonly<Record<string, unknown>>;

const connectionName = (table: TableName) => table.replaceAll('-', '_') as ConnectionName;

/** @param clock - the same time for all steps */
export async function lostRows(clock: () => Date) {
  const tables = await createTables(restorableTables.map(connectionName));
  const client = tables.dynamo;
  const nameOf = (table: RestorableTable): string => tables.names[connectionName(table)];
  const sideTables = dynamoSideTables(client);
  const keyOf = (table: RestorableTable, row: Row): Item =>
    storedOf(Object.fromEntries(keysOf(table).map((key) => [key, row[key]])));
  const made: string[] = [];

  const put = async (table: RestorableTable, row: Row): Promise<void> =>
    void (await client.send(new PutItemCommand({ TableName: nameOf(table), Item: storedOf(row) })));

  function dependencies(): RestoreDependencies {
    return {
      tables: restoredTables(nameOf),
      sideTables: { ...sideTables, restore: sideTables.exists, drop: async () => undefined },
      streamRecords: dynamoStreamRecords(client, pause, String(engineConfig().endpoint)),
      rows: dynamoTableRows(client),
      workers: {
        find: async () => ({ mappings: [], counting: [], schedules: [], scheduleGroup: '' }),
        turn: async () => true,
      },
      maintenance: dynamoMaintenance(client, nameOf('limit-overrides')),
      messages: dynamoMessageStore(client, { tableName: nameOf('messages'), retentionDays: 30 }),
      dueItemIndex: dynamoDueItemIndex(client, nameOf('due-items')),
      progress: keptProgress(),
      settleSeconds: 0,
      clock,
      sleep: async () => undefined,
      report: () => undefined,
    };
  }

  return {
    put,
    async lose(table: RestorableTable, row: Row): Promise<void> {
      await client.send(new DeleteItemCommand({ TableName: nameOf(table), Key: keyOf(table, row) }));
    },
    async get(table: RestorableTable, row: Row): Promise<Row | undefined> {
      const { Item: found } = await client.send(
        new GetItemCommand({ TableName: nameOf(table), Key: keyOf(table, row), ConsistentRead: true }),
      );
      return found === undefined ? undefined : unmarshall(found);
    },
    async rows(table: RestorableTable): Promise<Row[]> {
      const items = await Array.fromAsync(allItems(sideTables, nameOf(table)));
      return items.map((item) => unmarshall(item));
    },
    /** Makes a table of everything as it is now, as DynamoDB restores it to `to`. */
    async remember(to: Date): Promise<void> {
      await Promise.all(
        restorableTables.map(async (table) => {
          const TableName = sideTableName(nameOf(table), to);
          await client.send(
            new CreateTableCommand({
              TableName,
              BillingMode: 'PAY_PER_REQUEST',
              AttributeDefinitions: keysOf(table).map((key) => ({ AttributeName: key, AttributeType: 'S' })),
              KeySchema: keysOf(table).map((key, index) => ({
                AttributeName: key,
                KeyType: index === 0 ? 'HASH' : 'RANGE',
              })),
            }),
          );
          made.push(TableName);
          for await (const found of allItems(sideTables, nameOf(table)))
            await client.send(new PutItemCommand({ TableName, Item: found }));
        }),
      );
    },
    /** All of it, in one run. */
    restore: (to: Date, decisions: Decisions, only: readonly RestorableTable[] = restorableTables) =>
      restoreStage(dependencies(), {
        to,
        tables: only,
        decisions,
        confirmed: true,
        canceled: false,
        again: false,
      }),
    async drop(): Promise<void> {
      await Promise.all(made.map((TableName) => client.send(new DeleteTableCommand({ TableName }))));
      await tables.drop();
    },
  };
}

function storedOf(row: Row): Item {
  return marshall(row, { removeUndefinedValues: true });
}
