/**
 * The side tables of a restore, which are needed because DynamoDB restores a table to a point in time only as a new table.
 * Their names are derived from the time, so that a repeated restore finds them.
 */
import {
  type AttributeValue,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** Returns a side table's name, within DynamoDB's limit of 255 characters. */
export function sideTableName(table: string, to: Date): string {
  return `${table}-at-${to.toISOString().replaceAll(/[-:]|\.000/g, '')}`.replaceAll('.', '-');
}

export function dynamoSideTables(client: Pick<DynamoDBClient, 'send'>) {
  /** Returns undefined if the table does not exist. */
  async function statusOf(TableName: string): Promise<string | undefined> {
    try {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }));
      return Table?.TableStatus ?? '';
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the times to which the table can be restored; undefined if the table or its recovery does not exist. */
    async windowOf(table: string) {
      if ((await statusOf(table)) === undefined) return undefined;
      const { ContinuousBackupsDescription } = await client.send(
        new DescribeContinuousBackupsCommand({ TableName: table }),
      );
      const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
      const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = recovery ?? {};
      if (earliest === undefined || latest === undefined) return undefined;
      return { earliest, latest };
    },

    /** Starts the restore, unless it has already started. Returns true once the side table can be read. */
    async restore(table: string, to: Date): Promise<boolean> {
      const name = sideTableName(table, to);
      const known = await statusOf(name);
      if (known !== undefined) return known === 'ACTIVE';
      await client.send(
        new RestoreTableToPointInTimeCommand({
          SourceTableName: table,
          TargetTableName: name,
          RestoreDateTime: to,
          // Only rows are read from the side table. It has no indexes and no capacity, so the restore is faster and cheaper.
          GlobalSecondaryIndexOverride: [],
          BillingModeOverride: 'PAY_PER_REQUEST',
        }),
      );
      return false;
    },

    exists: async (table: string, to: Date): Promise<boolean> =>
      (await statusOf(sideTableName(table, to))) === 'ACTIVE',

    async page(TableName: string, segment: number, segments: number, after: Item | undefined) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: after,
        }),
      );
      return { items: Items, next: LastEvaluatedKey };
    },

    async drop(table: string, to: Date): Promise<void> {
      const name = sideTableName(table, to);
      const known = await statusOf(name);
      if (known === undefined || known === 'DELETING') return;
      await client.send(new DeleteTableCommand({ TableName: name }));
    },
  };
}

const segments = 8;

/** Reads the segments of a table in parallel. */
export async function eachPage(
  sideTables: ReturnType<typeof dynamoSideTables>,
  tableName: string,
  work: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: segments }, async (_, segment) => {
      let after: Item | undefined;
      do {
        const { items, next } = await sideTables.page(tableName, segment, segments, after);
        await work(items);
        after = next;
      } while (after !== undefined);
    }),
  );
}
