/** Reads how many requests are counted in the present windows, for people: the limiter itself never reads. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../platform/aws/batch-read.dynamo.ts';
import { usedIn } from './rate-counter.dynamo.ts';
import type { PerWindow, Windows } from './windows.ts';

/** The sum over the counters, which are the shards of one client and endpoint. */
export type RateUse = (counters: readonly string[], windows: Windows) => Promise<PerWindow<number>>;

export function dynamoRateUse(dynamo: DynamoDBDocumentClient, tableName: string): RateUse {
  return async (counters, windows) => {
    const { minute, hour, day } = windows.attributes;
    const rows = await batchRead(
      dynamo,
      tableName,
      counters.map((counter) => ({ counter })),
      { ProjectionExpression: [minute, hour, day].join(', '), ConsistentRead: true },
    );
    return rows
      .map((row) => usedIn(row, windows))
      .reduce(
        (sum, used) => ({
          minute: sum.minute + used.minute,
          hour: sum.hour + used.hour,
          day: sum.day + used.day,
        }),
        { minute: 0, hour: 0, day: 0 },
      );
  };
}
