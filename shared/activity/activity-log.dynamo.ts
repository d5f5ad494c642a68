/** The activity-log table, one partition for each day. */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { addDays, dayOf, epochSeconds } from '../platform/clock.ts';
import type { ActivityLog } from './activity-log.ts';

export function dynamoActivityLog(
  client: DynamoDBDocumentClient,
  tableName: string,
  retentionDays: number,
): ActivityLog {
  return {
    async add(entry) {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: {
            ...entry,
            day: dayOf(new Date(entry.at)),
            purge_at: epochSeconds(addDays(new Date(entry.at), retentionDays)),
          },
        }),
      );
    },
  };
}
