/**
 * Counts a request with one conditional write of one write unit, without a read: exact under any concurrency. A call that
 * the SDK repeats after a lost response counts once more, and never beyond a limit.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import type { CountOutcome, CountRequest, RateCounter } from './rate-counter.ts';
import { type PerWindow, perWindow, type Windows, windowSeconds } from './windows.ts';

const keptDaysAfterUse = 2;

export function dynamoRateCounter(dynamo: DynamoDBDocumentClient, tableName: string): RateCounter {
  return { count: (request) => countInDynamo(dynamo, tableName, request) };
}

/** Uses the client without the document layer, because every request makes this call. */
async function countInDynamo(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  { counter, windows, limits, staleAttributes }: CountRequest,
): Promise<CountOutcome> {
  const { minute, hour, day } = windows.attributes;
  const hasRoom = (attribute: string, limit: string): string =>
    `(attribute_not_exists(${attribute}) OR ${attribute} < ${limit})`;
  const remove = staleAttributes.length === 0 ? '' : ` REMOVE ${staleAttributes.join(', ')}`;
  const counting = await conditionalUpdateItem(dynamo, {
    TableName: tableName,
    Key: { counter: { S: counter } },
    UpdateExpression: `ADD ${day} :one, ${hour} :one, ${minute} :one SET purge_at = :purge_at${remove}`,
    ConditionExpression: `${hasRoom(day, ':per_day')} AND ${hasRoom(hour, ':per_hour')} AND ${hasRoom(minute, ':per_minute')}`,
    ExpressionAttributeValues: {
      ':one': numeric(1),
      ':per_day': numeric(limits.perDay),
      ':per_hour': numeric(limits.perHour),
      ':per_minute': numeric(limits.perMinute),
      ':purge_at': numeric(windows.resetsAt.day + keptDaysAfterUse * windowSeconds.day),
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  // A refusal returns the row as the condition saw it, with the windows that are full.
  const row = counting.applied ? unmarshall(counting.response.Attributes ?? {}) : counting.row;
  return { admitted: counting.applied, used: usedIn(row ?? {}, windows) };
}

function numeric(value: number): AttributeValue {
  return { N: String(value) };
}

/** The counts of a counter's row in these windows. */
export function usedIn(row: Readonly<Record<string, unknown>>, { attributes }: Windows): PerWindow<number> {
  return perWindow((window) => countIn(row[attributes[window]], attributes[window]));
}

/** An absent attribute is a window without requests. @throws Error if the value is not a count. */
function countIn(value: unknown, attribute: string): number {
  const count = value ?? 0;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  throw new Error(`${attribute} of a rate counter is not a count`);
}
