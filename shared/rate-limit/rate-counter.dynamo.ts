/** Counts a request in one conditional write of one write unit, with no read: exact under any concurrency. */
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { attempted } from '../conditional.dynamo.ts';
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
  const counting = await attempted(
    dynamo.send(
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
    ),
  );
  // A refusal comes with the row as the condition saw it, which tells the windows that were full.
  const row = counting.made ? counting.answer.Attributes : counting.row;
  return { admitted: counting.made, used: usedIn(row ?? {}, windows) };
}

function usedIn(row: Readonly<Record<string, unknown>>, { attributes }: Windows): PerWindow<number> {
  return {
    minute: count.parse(row[attributes.minute]),
    hour: count.parse(row[attributes.hour]),
    day: count.parse(row[attributes.day]),
  };
}
