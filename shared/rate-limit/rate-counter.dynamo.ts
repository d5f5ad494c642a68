/** Counts a request in one conditional write of one write unit, with no read: exact under any concurrency. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { CountOutcome, CountRequest, RateCounter } from './rate-counter.ts';
import { type PerWindow, type Windows, windowSeconds } from './windows.ts';

const keptDaysAfterUse = 2;
const count = z._default(z.coerce.number().check(z.int(), z.nonnegative()), 0);

export function dynamoRateCounter(dynamo: DynamoDBDocumentClient, tableName: string): RateCounter {
  return { count: (request) => countInDynamo(dynamo, tableName, request) };
}

async function countInDynamo(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  { counter, windows, limits, staleAttributes }: CountRequest,
): Promise<CountOutcome> {
  const { minute, hour, day } = windows.attributes;
  const hasRoom = (attribute: string, limit: string): string =>
    `(attribute_not_exists(${attribute}) OR ${attribute} < ${limit})`;
  const remove = staleAttributes.length === 0 ? '' : ` REMOVE ${staleAttributes.join(', ')}`;
  try {
    const { Attributes } = await dynamo.send(
      new UpdateCommand({
        TableName: tableName,
        Key: { counter },
        UpdateExpression: `ADD ${day} :one, ${hour} :one, ${minute} :one SET purge_at = :purge_at${remove}`,
        ConditionExpression: [
          hasRoom(day, ':per_day'),
          hasRoom(hour, ':per_hour'),
          hasRoom(minute, ':per_minute'),
        ].join(' AND '),
        ExpressionAttributeValues: {
          ':one': 1,
          ':per_day': limits.perDay,
          ':per_hour': limits.perHour,
          ':per_minute': limits.perMinute,
          ':purge_at': windows.resetsAt.day + keptDaysAfterUse * windowSeconds.day,
        },
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { admitted: true, used: usedIn(Attributes ?? {}, windows) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The row as the condition saw it tells which windows were full; it comes in DynamoDB's own form.
    const row = Object.entries(error.Item ?? {}).map(([name, value]) => [name, value.N] as const);
    return { admitted: false, used: usedIn(Object.fromEntries(row), windows) };
  }
}

function usedIn(row: Readonly<Record<string, unknown>>, { attributes }: Windows): PerWindow<number> {
  return {
    minute: count.parse(row[attributes.minute]),
    hour: count.parse(row[attributes.hour]),
    day: count.parse(row[attributes.day]),
  };
}
