/** Reads how many requests are counted in the present windows, for people: the limiter itself never reads. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../platform/aws/batch-read.dynamo.ts';
import { usedIn } from './rate-counter.dynamo.ts';
import { type PerWindow, perWindow, type Windows } from './windows.ts';

/** The sum over the counters, which are the shards of one client and endpoint. */
export type RateUse = (counters: readonly string[], windows: Windows) => Promise<PerWindow<number>>;

export function dynamoRateUse(dynamo: DynamoDBDocumentClient, tableName: string): RateUse {
  return async (counters, windows) => {
    const rows = await batchRead(
      dynamo,
      tableName,
      counters.map((counter) => ({ counter })),
      { ProjectionExpression: Object.values(windows.attributes).join(', '), ConsistentRead: true },
    );
    const used = rows.map((row) => usedIn(row, windows));
    return perWindow((window) => used.reduce((sum, counts) => sum + counts[window], 0));
  };
}
