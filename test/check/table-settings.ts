/**
 * Compares the tables of a deployed stack with their declaration. If the creation of a table was canceled and the table was
 * imported later, it can lack point-in-time recovery, the TTL or the stream. No alarm reports this.
 */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { TableShape } from '../../shared/contract/tables.ts';

/**
 * @param tables - the tables' names by their outputs, such as `limit_overrides`
 * @param shapes - the declaration
 */
export async function checkTables(
  client: DynamoDBClient,
  tables: Readonly<Record<string, string>>,
  shapes: Readonly<Record<string, TableShape>>,
) {
  const found = await Promise.all(
    Object.entries(shapes).map(async ([name, shape]) => {
      const TableName = tables[name.replaceAll('-', '_')];
      return TableName === undefined ? [] : checkTable(client, TableName, shape);
    }),
  );
  return found.flat();
}

async function checkTable(client: DynamoDBClient, TableName: string, shape: TableShape) {
  try {
    const [described, backups, ttl] = await Promise.all([
      client.send(new DescribeTableCommand({ TableName })),
      client.send(new DescribeContinuousBackupsCommand({ TableName })),
      client.send(new DescribeTimeToLiveCommand({ TableName })),
    ]);
    const { TableStatus, StreamSpecification } = described.Table ?? {};
    const recovery = backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    const { TimeToLiveStatus, AttributeName } = ttl.TimeToLiveDescription ?? {};
    const purges = TimeToLiveStatus?.startsWith('ENABL') === true && AttributeName === purgeAttribute;
    const view = StreamSpecification?.StreamEnabled === true ? StreamSpecification.StreamViewType : undefined;
    const problems: [boolean, string][] = [
      [TableStatus !== 'ACTIVE' && TableStatus !== 'UPDATING', `it is ${TableStatus}`],
      [
        shape.notRestorable === undefined && recovery?.PointInTimeRecoveryStatus !== 'ENABLED',
        'it has no point-in-time recovery',
      ],
      [shape.purged !== undefined && !purges, 'its old rows are not deleted (TTL)'],
      [
        shape.streamed === true && view !== streamView,
        'its stream does not have the images before and after a change',
      ],
    ];
    return problems.flatMap(([isWrong, problem]) => (isWrong ? [`${TableName}: ${problem}`] : []));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    return [`${TableName}: it does not exist`];
  }
}

const purgeAttribute = 'purge_at';
const streamView = 'NEW_AND_OLD_IMAGES';
